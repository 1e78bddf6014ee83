#include "harness/contract.hpp"

#include <cmath>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

double least_subnormal(c10::ScalarType dtype) {
  switch (real_type(dtype)) {
    case c10::ScalarType::Float8_e4m3fn:
    case c10::ScalarType::Float8_e4m3fnuz: return std::ldexp(1.0, -9);
    case c10::ScalarType::Float8_e5m2:
    case c10::ScalarType::Float8_e5m2fnuz: return std::ldexp(1.0, -16);
    default: break;
  }
  const auto format = format_of(real_type(dtype));
  return format ? traits(*format).min_subnormal : 0;
}

/// Half types and float accumulate in float, double in double.
const FormatTraits& traits_of_accumulator(c10::ScalarType dtype) {
  return traits(real_type(dtype) == c10::ScalarType::Double ? Format::f64 : Format::f32);
}

}  // namespace

BoundTerms fused_bound(const Contract& c) {
  if (c.promise == Promise::exact) {
    // Room for one rounding; the judge asks for equality with g rounded once on top.
    return {.relative = c.output_roundoff, .conditional = 0, .absolute = c.least_subnormal / 2};
  }
  const auto n = static_cast<double>(c.reduction);
  const double growth = c.sequential ? n : std::sqrt(n);
  const double inner = c.accumulator_roundoff + c.oracle_roundoff;
  return {.relative = 1.02 * c.output_roundoff + kLambda * inner,
          .conditional = kLambda * (inner * growth + c.intermediate_roundoff) / kProbeStep,
          .absolute = (c.least_subnormal + kLambda * growth * c.accumulator_subnormal) / 2};
}

BoundTerms composite_bound(const Contract& c) {
  BoundTerms bound = fused_bound(c);
  bound.relative += 2 * c.output_roundoff;
  bound.absolute += c.least_subnormal;
  bound.conditional += kLambda * c.output_roundoff / kProbeStep;
  return bound;
}

Traits traits_of_gradient(Traits traits, bool given) {
  // The gradient of what was broadcast or multiplied sums over all that it took part in.
  if (traits.reduction == Reduction::longest) traits.reduction = Reduction::whole;
  // The backward pass works on results that the forward pass rounded.
  if (!given && traits.promise == Promise::fused) traits.promise = Promise::composite;
  return traits;
}

Contract contract_for(c10::ScalarType dtype, const Traits& traits, const Inputs& inputs,
                      double oracle_roundoff) {
  return {.output_roundoff = unit_roundoff(dtype),
          .accumulator_roundoff = accumulator_roundoff(dtype),
          .least_subnormal = least_subnormal(dtype),
          .accumulator_subnormal = traits_of_accumulator(dtype).min_subnormal,
          .reduction = reduction_length(traits, inputs),
          .sequential = traits.sequential,
          .promise = traits.promise,
          .oracle_roundoff = oracle_roundoff};
}

}  // namespace plumb
