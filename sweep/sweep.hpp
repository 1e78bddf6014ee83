#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/unit.hpp"

namespace plumb {

/// One unit per operator that inputs are made for, dtype and direction (forward, gradient), in the
/// order of names. UsageError where the patterns select none.
std::vector<Json> sweep_units(const std::vector<std::string>& patterns,
                              const std::vector<std::string>& dtypes, int cases,
                              const Options& options);

/// Judges the units in workers; a case that kills its worker costs that case. One row per unit that
/// judged something, the most urgent of its cases, and one more per further kind of alarm. Alarms
/// are then made smaller, by at most `evaluations` cases each, and saved in
/// OUT/findings/FINGERPRINT, which their replay lines name; their rows are those of the smaller
/// cases.
std::vector<Result> run_sweep(Zygote& zygote, std::vector<Json> units, const Options& options,
                              int evaluations, const std::string& out,
                              const std::function<void(const Result&)>& each);

}  // namespace plumb
