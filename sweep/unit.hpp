#pragma once

#include "harness/isolate.hpp"
#include "harness/task.hpp"
#include "sweep/targets.hpp"

namespace plumb {

/// A unit of a sweep for one worker: one operator in one dtype, forward or gradient, all its cases.
/// Of the references it has the one in effect. UsageError where that does not fit.
Json sweep_unit(const Target& target, const std::string& dtype, bool gradient, int cases,
                const Options& options);

/// Judges the cases of a unit but those in its "skip" and announces each before it runs. The answer
/// has `judged`, counts by `verdicts`, `left_out` (cases that torch or the variant does not take,
/// or nothing can judge), `why` of the first of them, the most urgent `row`, one of each kind of
/// `alarms` with its case, and a `digest` over all.
Json serve_sweep(const Json& unit, const Zygote::Announce& announce);

/// The relation that a result breaks: the place names it after the output. Empty for other results.
std::string broken_relation(const Result& result);

}  // namespace plumb
