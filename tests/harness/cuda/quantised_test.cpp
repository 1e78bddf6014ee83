// Quantised kernels on a device, and what a row says of it.

#include <gmock/gmock.h>

#include <ATen/ATen.h>

#include "tests/harness/cuda/gpu_test.hpp"
#include "tests/harness/variants/judged_linear.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

class GpuQuantised : public GpuTest {
 protected:
  static Result judged(const std::string& variant, c10::ScalarType dtype) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(11);
    const at::Tensor x = at::randn({17, 256}, generator) + 0.3;
    return judged_linear(variant, dtype, x, at::randn({48, 256}, generator), c10::kCUDA);
  }
};

/// Which types a kernel takes depends on the device and on torch; bfloat16 is among them.
TEST_F(GpuQuantised, KernelsKeepTheirBound) {
  for (const char* variant : {"int8-weight", "int4-weight", "fp8", "fp8-row"}) {
    for (const c10::ScalarType dtype : {at::kBFloat16, at::kHalf, at::kFloat}) {
      const Result row = judged(variant, dtype);
      if (row.verdict == Verdict::skipped && dtype != at::kBFloat16) {
        EXPECT_THAT(row.message, HasSubstr("does not run here on cuda"));
        continue;
      }
      EXPECT_TRUE(sound(row)) << variant << " " << dtype << ": " << row.message;
      EXPECT_LT(*row.nmse, 0.01) << variant;
    }
  }
}

TEST_F(GpuQuantised, WhatTheCpuAloneRunsSaysSo) {
  const Result row = judged("int8-dynamic", at::kFloat);
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_EQ(row.message, "int8-dynamic runs on the CPU alone");
}

TEST_F(GpuQuantised, ARowSaysWhatItTookOfTheDevice) {
  const Result row = judged("eager", at::kFloat);
  ASSERT_FALSE(row.tables.empty());
  EXPECT_EQ(row.tables.front().name, "on the device");
  EXPECT_EQ(std::get<double>(row.tables.front().rows.at(0).at(0)), row.seconds);
  EXPECT_GT(row.seconds, 0);
  EXPECT_GE(std::get<double>(row.tables.front().rows.at(0).at(1)), 17 * 48 * sizeof(float));
}

}  // namespace
}  // namespace plumb
