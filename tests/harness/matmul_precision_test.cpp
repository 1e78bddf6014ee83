#include "harness/matmul_precision.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/oracle.hpp"
#include "harness/program.hpp"

namespace plumb {
namespace {

TEST(MatmulPrecision, IsWhatWasAskedForUntilItsEnd) {
  const MatmulPrecision before = matmul_precision();
  for (const MatmulPrecision& asked :
       {MatmulPrecision{}, MatmulPrecision{.tf32 = true}, MatmulPrecision{.reduced = true},
        MatmulPrecision{.split_k = false}}) {
    const WithMatmulPrecision with(asked);
    EXPECT_EQ(matmul_precision(), asked);
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(), asked.tf32);
  }
  EXPECT_EQ(matmul_precision(), before);
}

TEST(MatmulPrecision, AnOracleIsPedanticWhateverIsSet) {
  const WithMatmulPrecision loose({.tf32 = true, .reduced = true});
  MatmulPrecision seen{.tf32 = true};
  const Program program = native_program("program", [&](const Inputs& in) {
    seen = matmul_precision();
    return in["x"];
  });
  evaluate_widened(program, {{"x", at::ones({2}, at::kHalf)}}, at::kFloat);
  EXPECT_EQ(seen, MatmulPrecision{});
  EXPECT_TRUE(matmul_precision().tf32);
}

}  // namespace
}  // namespace plumb
