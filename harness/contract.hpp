#pragma once

#include "harness/compare.hpp"
#include "harness/traits.hpp"

namespace plumb {

/// The precision an execution promises for one output (docs/verdict.md).
struct Contract {
  double output_roundoff = 0;        // u_out
  double accumulator_roundoff = 0;   // u_acc
  double least_subnormal = 0;        // of the output type
  double accumulator_subnormal = 0;  // least subnormal of the accumulator
  std::int64_t reduction = 1;        // n
  bool sequential = false;           // one by one: n instead of its root
  Promise promise = Promise::fused;
  double oracle_roundoff = 0;        // of an fp32 oracle, else 0
  double intermediate_roundoff = 0;  // sum of u_j of declared low-precision intermediates
};

/// lambda of the probabilistic bound: 8 keeps the failure probability under 1e-6 for a million
/// outputs (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019, theorem 2.4 with lambda sqrt(n) u).
inline constexpr double kLambda = 8;

/// h: relative size of the perturbations that measure S, the geometric middle between truncation
/// and rounding of a difference in double.
inline constexpr double kProbeStep = 0x1p-26;

// In these bounds `conditional` multiplies the spread h·S that Conditioning measures.

/// B of a kernel that accumulates in u_acc and rounds once.
BoundTerms fused_bound(const Contract& contract);

/// B of a program whose every step may round to the output type: adds u_out(lambda S + 2|g|).
BoundTerms composite_bound(const Contract& contract);

/// What a program's gradients promise, where its results promise this. `given`: the person chose
/// the contract.
Traits traits_of_gradient(Traits traits, bool given);

/// Contract of an output of type `dtype`.
Contract contract_for(c10::ScalarType dtype, const Traits& traits, const Inputs& inputs,
                      double oracle_roundoff);

}  // namespace plumb
