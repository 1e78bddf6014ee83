#include "harness/contract.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

// The bound of docs/verdict.md worked out by hand for S = 3, |g| = 5, n = 100; spreads are h·S.
double bound_at(const BoundTerms& b) {
  return b.relative * 5 + b.conditional * (3 * kProbeStep) + b.absolute;
}

Contract contract(c10::ScalarType dtype, Promise promise = Promise::fused) {
  return contract_for(dtype, {.promise = promise}, {{"x", at::zeros({100})}}, 0);
}

TEST(Contract, FusedBoundIsTheFormulaOfTheRule) {
  const double u = 0x1p-24;
  const double eta = 0x1p-150;
  EXPECT_DOUBLE_EQ(bound_at(fused_bound(contract(at::kFloat))),
                   1.02 * u * 5 + 8 * (u * (10 * 3 + 5)) + eta * (1 + 8 * 10));
  EXPECT_DOUBLE_EQ(bound_at(fused_bound(contract(at::kBFloat16))),
                   1.02 * 0x1p-8 * 5 + 8 * (u * (10 * 3 + 5)) + 0x1p-134 + eta * 8 * 10);
  EXPECT_DOUBLE_EQ(bound_at(fused_bound(contract(at::kHalf))),
                   1.02 * 0x1p-11 * 5 + 8 * (u * (10 * 3 + 5)) + 0x1p-25 + eta * 8 * 10);
  const double w = 0x1p-53;
  EXPECT_DOUBLE_EQ(bound_at(fused_bound(contract(at::kDouble))),
                   1.02 * w * 5 + 8 * (w * (10 * 3 + 5)));
}

// softmax of float logits whose exponentials and quotients both are subnormal: two roundings of
// half a least subnormal each, and a sum of n such products errs by about √n of them.
TEST(Contract, RoundingsInTheSubnormalRangeAddUp) {
  const Contract pointwise = contract_for(at::kFloat, {.reduction = Reduction::pointwise}, {}, 0);
  EXPECT_DOUBLE_EQ(fused_bound(pointwise).absolute, 9 * 0x1p-150);
  EXPECT_GT(fused_bound(contract(at::kFloat)).absolute, 10 * 0x1p-149);
}

TEST(Contract, ASequentialSumErrsByItsLength) {
  Contract c = contract(at::kFloat);
  const double any_order = bound_at(fused_bound(c));
  c.sequential = true;
  EXPECT_NEAR(bound_at(fused_bound(c)) - any_order, 8 * 0x1p-24 * (100 - 10) * 3, 1e-12);
}

TEST(Contract, CompositeAddsOneRoundingOfEveryIntermediate) {
  const Contract c = contract(at::kHalf, Promise::composite);
  EXPECT_DOUBLE_EQ(bound_at(composite_bound(c)) - bound_at(fused_bound(c)),
                   0x1p-11 * (8 * 3 + 2 * 5) + 0x1p-24);
}

TEST(Contract, AnFp32OracleBringsItsOwnError) {
  Contract c = contract(at::kHalf);
  const double alone = bound_at(fused_bound(c));
  c.oracle_roundoff = 0x1p-24;
  EXPECT_DOUBLE_EQ(bound_at(fused_bound(c)) - alone, 8 * 0x1p-24 * (10 * 3 + 5));
}

TEST(Contract, ExactOperatorsGetOneRounding) {
  const BoundTerms b = fused_bound(contract(at::kFloat, Promise::exact));
  EXPECT_EQ(b.relative, 0x1p-24);
  EXPECT_EQ(b.conditional, 0);
}

TEST(Dtype, NamesGoBothWays) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kBool,
                           at::kComplexFloat}) {
    EXPECT_EQ(dtype_from(dtype_name(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from("bf16"), at::kBFloat16);
  EXPECT_EQ(dtype_from("float"), std::nullopt);
}

}  // namespace
}  // namespace plumb
