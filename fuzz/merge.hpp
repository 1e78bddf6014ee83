#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/task.hpp"

namespace plumb {

/// What a person asked to be joined.
struct MergePlan {
  std::vector<std::string> folders;
  std::filesystem::path out;
  int evaluations = 0;  // to make a failure that no run has filed smaller
};

/// Joins what several runs left in their folders (the --out of each, or a --corpus) into `out`:
/// results by id, findings by fingerprint, the smaller one of two, and the inputs of searches that
/// light a feature no other lights. Failures of a search that died before it could file them are
/// confirmed and filed now. Merging again, or with `out` among the folders, adds nothing.
/// Returns the rows and where they came from, the last row saying what was joined. InputError for
/// a folder that holds nothing of this kind, and for results of different builds.
Report merged(Zygote& zygote, const MergePlan& plan, const Options& options);

}  // namespace plumb
