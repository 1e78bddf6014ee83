// Laws of the comparison, on inputs that RapidCheck makes. Its own floats never are NaN, infinite
// or subnormal, so values here come from raw bits.

#include "harness/compare.hpp"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumb {
namespace {

float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Any float, each exponent as likely as the next; NaN and infinities among them.
rc::Gen<float> any_float() { return rc::gen::map(rc::gen::arbitrary<std::uint32_t>(), from_bits); }

rc::Gen<float> finite_float() {
  return rc::gen::suchThat(any_float(), [](float x) { return std::isfinite(x); });
}

std::vector<double> widened(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

constexpr BoundTerms kBound{.relative = 9 * 0x1p-24, .conditional = 0, .absolute = 0x1p-150};

Distances compared(const std::vector<float>& y, const std::vector<double>& g,
                   BoundTerms bound = kBound) {
  return compare(Format::f32, y.data(), {.hi = g.data()}, nullptr, bound, y.size());
}

RC_GTEST_PROP(CompareProperty, WhatEqualsItsTruthIsExact, ()) {
  const auto y = *rc::gen::container<std::vector<float>>(any_float());
  const Distances d = compared(y, widened(y));
  RC_ASSERT(d.exact);
  RC_ASSERT(d.r == 0);
  RC_ASSERT(d.wrong_nonfinite == 0);
  RC_ASSERT(d.masked == 0);
}

RC_GTEST_PROP(CompareProperty, NaNNeverAgreesWithANumber, ()) {
  auto y = *rc::gen::nonEmpty(rc::gen::container<std::vector<float>>(finite_float()));
  const auto place = *rc::gen::inRange<std::size_t>(0, y.size());
  const auto g = widened(y);
  y[place] = NAN;
  const Distances d = compared(y, g);
  RC_ASSERT(d.wrong_nonfinite == 1);
  RC_ASSERT(*d.first_wrong_nonfinite == place);
  RC_ASSERT(d.nan == 1);
  RC_ASSERT(!d.exact);
}

RC_GTEST_PROP(CompareProperty, ANumberWhereNaNIsRightIsMasked, ()) {
  const auto y = *rc::gen::nonEmpty(rc::gen::container<std::vector<float>>(finite_float()));
  const auto place = *rc::gen::inRange<std::size_t>(0, y.size());
  auto g = widened(y);
  g[place] = NAN;
  const Distances d = compared(y, g);
  RC_ASSERT(d.masked == 1);
  RC_ASSERT(*d.first_masked == place);
}

RC_GTEST_PROP(CompareProperty, AWiderBoundNeverRaisesR, ()) {
  const auto y = *rc::gen::container<std::vector<float>>(finite_float());
  const auto other = *rc::gen::container<std::vector<float>>(y.size(), finite_float());
  BoundTerms wide = kBound;
  wide.relative *= *rc::gen::inRange(1, 1000);
  RC_ASSERT(compared(y, widened(other), wide).r <= compared(y, widened(other)).r);
}

RC_GTEST_PROP(CompareProperty, RIsThatOfTheWorstElementAlone, ()) {
  const auto y = *rc::gen::nonEmpty(rc::gen::container<std::vector<float>>(finite_float()));
  const auto g = widened(*rc::gen::container<std::vector<float>>(y.size(), finite_float()));
  const Distances all = compared(y, g);
  const Distances one = compared({y[all.worst]}, {g[all.worst]});
  RC_ASSERT(one.r == all.r);
  RC_ASSERT(one.max_ulp <= all.max_ulp);
  RC_ASSERT(one.max_abs <= all.max_abs);
}

RC_GTEST_PROP(CompareProperty, ScalingBothByAPowerOfTwoChangesNothing, ()) {
  // In the normal range, where eta does not count.
  const auto normal = rc::gen::map(rc::gen::inRange(-8'000'000, 8'000'000),
                                   [](int k) { return 1 + static_cast<float>(k) * 0x1p-24f; });
  const auto y = *rc::gen::container<std::vector<float>>(normal);
  const auto g = *rc::gen::container<std::vector<float>>(y.size(), normal);
  const BoundTerms relative{.relative = 9 * 0x1p-24};
  std::vector<float> scaled_y = y;
  std::vector<double> scaled_g = widened(g);
  for (float& value : scaled_y) value *= 0x1p20f;
  for (double& value : scaled_g) value *= 0x1p20;
  RC_ASSERT(compared(scaled_y, scaled_g, relative).r == compared(y, widened(g), relative).r);
}

}  // namespace
}  // namespace plumb
