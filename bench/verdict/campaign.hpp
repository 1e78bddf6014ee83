#pragma once

#include <cstdint>
#include <optional>

#include "bench/verdict/tally.hpp"

namespace plumb::bench {

struct CampaignOptions {
  std::uint64_t seed = 0;
  bool quick = false;  // every seventh case, spread over operations, types and fills
  bool shows_misses = false;
  std::string only{};  // name of one operation, empty for all
};

/// Generates every case, runs all implementations, and asks every rule about every output.
Tally run_campaign(const CampaignOptions& options);

}  // namespace plumb::bench
