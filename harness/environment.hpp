#pragma once

#include "harness/isolate.hpp"
#include "harness/result.hpp"

namespace plumb {

/// What this process can say about where results come from. `time` is now, in UTC.
Environment environment_here(std::uint64_t seed, int threads);

/// Adds driver, CUDA and cuBLAS, which a worker is asked for: this process initialises none.
void add_cuda(Environment& environment, Zygote& zygote);

}  // namespace plumb
