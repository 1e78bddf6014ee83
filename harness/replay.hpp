#pragma once

#include <string>

#include "harness/task.hpp"

namespace plumb {

/// A second run of something recorded, beside what was recorded.
struct Replay {
  Result now;
  std::string recorded_verdict;  // of finding.json, else of a first run in another process
  std::string recorded_digest;
  bool same = false;  // verdict and digest agree, and the case's expectation holds
  std::string why;    // where they do not, in one sentence
};

/// Runs a finding folder (case.json, finding.json) or a case file. A case without a record is run
/// twice, in two processes, which must agree. For crashed, hung, out-of-memory and nondeterministic
/// the verdict alone must agree.
Replay replay_path(Zygote& zygote, const std::string& path, const Options& options);

std::string replay_text(const Replay& replay);
Json replay_json(const Replay& replay);

}  // namespace plumb
