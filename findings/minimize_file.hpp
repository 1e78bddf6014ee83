#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "findings/finding.hpp"
#include "harness/task.hpp"

namespace plumb {

struct FileMinimised {
  std::optional<Finding> finding;
  std::string refused;  // why there is none, in one sentence
};

/// Makes the case in a file, or in a finding's folder, smaller and writes what is left as a finding
/// under `out`. Three runs must fail alike before, and three after, each in a new process.
/// InputError where it is no case, UsageError for options that a case cannot hold.
FileMinimised minimize_file(Zygote& zygote, const std::string& path, const Options& options,
                            int evaluations, const std::filesystem::path& out);

/// What was found, for people; the command that replays it comes last. `program` is what a person
/// types for plumb.
std::string text_of(const Finding& finding, const std::string& program);

}  // namespace plumb
