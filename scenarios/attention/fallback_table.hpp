#pragma once

#include "harness/trial.hpp"

namespace plumb {

/// One row per condition: the back end torch chooses, why, the error of it and of math against
/// float64, and the peak memory of both. On the CPU the choices are also required to be the
/// documented ones (invariant "documented-choices").
void add_fallback_table(Trial& trial);

/// Peak memory of math and of the fused kernel for growing lengths: batch 1, 8 heads of 64, causal.
void add_memory_table(Trial& trial);

}  // namespace plumb
