#pragma once

#include "harness/result.hpp"

namespace plumb {

/// What this process can say about where results come from. `time` is now, in UTC.
Environment environment_here(std::uint64_t seed, int threads);

}  // namespace plumb
