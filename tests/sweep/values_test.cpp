#include "sweep/values.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/fill.hpp"

namespace plumb {
namespace {

at::Tensor drawn(const Json& fill, at::IntArrayRef shape, c10::ScalarType dtype) {
  return fill_values(fill["fill"], fill["params"], shape, dtype, 1, "x");
}

at::Tensor drawn(const std::string& program, c10::ScalarType dtype, Format format) {
  for (const ValueProgram& candidate : value_programs()) {
    if (candidate.name == program) {
      return drawn(candidate.fill(traits(format), 0), {40, 50}, dtype);
    }
  }
  throw std::out_of_range(program);
}

TEST(ValueProgram, NormalAndUnitComeFirst) {  // docs/sweep.md relies on it: --cases 2
  EXPECT_EQ(value_programs()[0].name, "normal");
  EXPECT_EQ(value_programs()[1].name, "unit");
}

TEST(ValueProgram, NamesAreDistinct) {
  std::set<std::string> names;
  for (const ValueProgram& program : value_programs()) names.insert(program.name);
  EXPECT_EQ(names.size(), value_programs().size());
}

TEST(ValueProgram, ExtremesAreThoseOfTheFormat) {
  for (const auto& [dtype, format] :
       {std::pair{at::kFloat, Format::f32}, std::pair{at::kHalf, Format::f16},
        std::pair{at::kDouble, Format::f64}}) {
    const FormatTraits& f = traits(format);
    EXPECT_GE(drawn("huge", dtype, format).abs().min().item<double>(), std::sqrt(f.max_finite) / 2);
    EXPECT_EQ(drawn("ends", dtype, format).abs().max().item<double>(), f.max_finite);
    EXPECT_LT(drawn("subnormal", dtype, format).abs().max().item<double>(), f.min_normal);
    EXPECT_TRUE(drawn("special", dtype, format).isnan().any().item<bool>());
    EXPECT_TRUE(drawn("limits", dtype, format).eq(1 - f.unit_roundoff).any().item<bool>());
    EXPECT_TRUE(drawn("limits", dtype, format).isfinite().all().item<bool>());
  }
}

TEST(ValueProgram, MasksHideSomeNumbersAndSomeRowsWhole) {
  const at::Tensor hidden = drawn("masked", at::kFloat, Format::f32).isinf();
  EXPECT_TRUE(hidden.all(1).any().item<bool>());
  EXPECT_TRUE(hidden.any(1).logical_and(hidden.all(1).logical_not()).any().item<bool>());
}

TEST(FillInDomain, StaysInsideARangeAndReachesItsEnds) {
  for (int variation = 0; variation < 6; ++variation) {
    const at::Tensor x =
        drawn(fill_in_domain("0..1", traits(Format::f32), variation), {400}, at::kFloat);
    EXPECT_TRUE(x.ge(0).logical_and(x.le(1)).all().item<bool>()) << variation;
    if (variation != 3) continue;
    EXPECT_TRUE(x.eq(0).any().item<bool>() && x.eq(1).any().item<bool>());
  }
}

TEST(FillInDomain, ALabelIsOneOfThese) {
  const at::Tensor x = drawn(fill_in_domain("-1/1", traits(Format::f32), 0), {100}, at::kFloat);
  EXPECT_TRUE(x.abs().eq(1).all().item<bool>());
  EXPECT_TRUE(x.lt(0).any().item<bool>() && x.gt(0).any().item<bool>());
}

TEST(FillInDomain, DefiniteMatricesHaveACholeskyFactor) {
  for (int variation = 0; variation < 4; ++variation) {
    const Json fill = fill_in_domain("definite", traits(Format::f32), variation);
    const at::Tensor matrix = drawn(fill, {2, 5, 5}, at::kDouble);
    EXPECT_TRUE(matrix.equal(matrix.mT())) << variation;
    EXPECT_NO_THROW(at::linalg_cholesky(matrix)) << variation;
  }
}

}  // namespace
}  // namespace plumb
