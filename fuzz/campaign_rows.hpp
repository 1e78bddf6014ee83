#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "fuzz/campaign.hpp"

namespace plumb {

/// What the workers of a campaign did together.
struct CampaignCounts {
  std::uint64_t executions = 0;
  std::uint64_t refused = 0;
  std::uint64_t judged = 0;
  std::map<std::string, std::uint64_t> verdicts = {};
  std::map<std::string, std::uint64_t> operators = {};
  std::vector<std::pair<double, double>> features = {};  // executions, cells lit; of one worker
  double seconds = 0;
  double cpu_seconds = 0;  // of the workers while they searched
  std::size_t corpus = 0;

  void add(const CampaignCounts& other);
};

/// From what a worker announced; nothing of null.
CampaignCounts counts_from(const Json& label);

/// A failure and when it was first seen, in executions of its worker.
struct Caught {
  Json stored;
  Result row;
  std::uint64_t execution = 0;
  std::string condition = {};  // of a fallback
  bool is_steady = true;       // it showed again in fresh processes
};

/// A row for each finding, then one for each failure that did not show again (tag "flaky"), then
/// that of the campaign. `findings` are those of the steady ones, in their order.
std::vector<Result> campaign_rows(const CampaignPlan& plan, const Options& options,
                                  const CampaignCounts& counts, const std::vector<Caught>& caught,
                                  const std::vector<Finding>& findings);

}  // namespace plumb
