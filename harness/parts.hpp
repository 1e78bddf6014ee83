#pragma once

#include <functional>
#include <string>

#include "harness/oracle.hpp"
#include "harness/result.hpp"
#include "harness/variant.hpp"

namespace plumb {

/// Judges one kernel's answer by itself.
using JudgePart = std::function<Result(const Part&, const Inputs& operands)>;

/// The worst of the kernels that a variant put in, as a row: its verdict, distances, evidence and
/// name. A kernel whose operands are not what a sound quantiser makes of the program's is
/// `invariant-broken`. A table names the worst kernels.
Result judged_parts(const std::vector<Part>& parts, const JudgePart& judge);

/// Where an operand is further than half a step from the value it stands for, in words; empty where
/// it is not. Tensors that hold inf or NaN have no grid and are not looked at.
std::string broken_rounding(const Rounding& rounding);

/// What the outputs of a quantised program must still do: be finite where the truth is, and not
/// finite where it is not. How far they are from the truth is a figure, not a fault.
Result judged_whole(const Outputs& outputs, const Truths& truths);

/// The row of the kernels with what is to be said of the whole, whichever is worse.
Result with_whole(Result kernels, const Outputs& outputs, const Truths& truths);

}  // namespace plumb
