#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/goal.hpp"
#include "harness/isolate.hpp"
#include "harness/task.hpp"

namespace plumb {

/// What a person asked a campaign for.
struct CampaignPlan {
  std::vector<std::string> ops;  // full names, as searched_operators gives them
  std::vector<std::string> dtypes;
  Goal goal;
  std::string driver = "libfuzzer";
  std::filesystem::path corpus;  // inputs, failures and logs
  bool is_fresh = true;          // what an earlier campaign left there is removed; else it goes on
  std::uint64_t runs = 0;        // of all jobs together; 0: no limit
  double seconds = 0;            // 0: no limit
  double deadline = 10;          // seconds, of one execution
  int jobs = 1;
  int shard = 0;  // of so many
  int shards = 1;
  bool backward = true;
  int evaluations = 0;  // to make a failure smaller; 0: it stays as it is
};

/// Operators that inputs are made for, and of which shard I of N takes every N-th where there are
/// enough. UsageError where the patterns select none.
std::vector<std::string> searched_operators(const std::vector<std::string>& patterns, int shard,
                                            int shards);

/// Searches in workers until time or executions are spent, or the run is interrupted; a worker that
/// dies is a failure as well, and another goes on with the corpus. Failures are then run again
/// three times in fresh processes, made smaller and saved in OUT/findings/FINGERPRINT. One row for
/// each finding, and one for the campaign (docs/fuzz.md).
std::vector<Result> run_campaign(Zygote& zygote, const CampaignPlan& plan, const Options& options,
                                 const std::string& out,
                                 const std::function<void(const Result&)>& each);

}  // namespace plumb
