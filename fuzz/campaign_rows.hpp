#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign.hpp"
#include "fuzz/caught.hpp"

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

/// A row for each finding, then one for each failure that did not show again (tag "flaky").
std::vector<Result> finding_rows(const Settled& settled);

/// Those, then that of the campaign.
std::vector<Result> campaign_rows(const CampaignPlan& plan, const Options& options,
                                  const CampaignCounts& counts, const Settled& settled);

}  // namespace plumb
