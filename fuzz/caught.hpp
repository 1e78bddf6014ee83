#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "findings/finding.hpp"

namespace plumb {

/// A failure and when it was first seen, in executions of its worker.
struct Caught {
  Json stored;
  Result row;
  std::uint64_t execution = 0;
  std::string condition = {};  // of a fallback
  bool is_steady = true;       // it showed again in fresh processes
};

/// Appends the failures that a worker wrote to a file, a line each; no line that a worker which was
/// killed left unfinished. `lines`: the same as they stand there.
void read_caught(const std::filesystem::path& file, std::vector<Caught>& all,
                 std::set<std::string>* lines = nullptr);

/// The first of each fingerprint and condition, in the order of executions.
std::vector<Caught> distinct(std::vector<Caught> all);

/// How much is spent on failures once a search is over.
struct SettleOptions {
  int jobs = 1;
  Limits limits;
  int evaluations = 0;  // to make each smaller
  Json flags;           // flags_beside_case of the command
};

/// As the flags of a command ask for.
SettleOptions settle_options(const Options& options, int jobs, int evaluations);

struct Settled {
  std::vector<Caught> caught;
  std::vector<Finding> findings;  // of the steady ones, in their order
};

/// Runs each again in three fresh processes; those that show every time are made smaller and saved
/// in OUT/findings/FINGERPRINT.
Settled settle(Zygote& zygote, std::vector<Caught> caught, const SettleOptions& options,
               const std::filesystem::path& out);

}  // namespace plumb
