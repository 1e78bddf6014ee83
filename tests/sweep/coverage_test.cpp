#include "sweep/coverage.hpp"

#include <gtest/gtest.h>

#include "tests/workers.hpp"

namespace plumb {
namespace {

Coverage of(const std::string& name) { return coverage(*test_zygote(), {name}).at(name); }

TEST(Coverage, AnOperatorIsJudgedWhereOneOfItsOverloadsIs) {
  const Coverage exp = of("aten::exp");
  EXPECT_TRUE(exp.forward && exp.gradient);
  EXPECT_EQ(exp.why_not, "");
  EXPECT_EQ(exp.overloads.size(), 2u);  // exp and exp.out
}

TEST(Coverage, WhatIsNotSweptOrDoesNotRunHasItsReason) {
  EXPECT_EQ(of("aten::bernoulli").why_not, "random");
  EXPECT_EQ(of("aten::linalg_eigh").why_not, "its vectors have a free sign or phase");
  EXPECT_EQ(of("aten::conv_depthwise3d").why_not, "torch has no such kernel for the CPU");
  EXPECT_EQ(of("aten::fake_quantize_per_channel_affine").why_not,
            "Scale must be Float or BFloat16, found Double");
  EXPECT_FALSE(of("aten::conv_depthwise3d").forward);
}

TEST(Coverage, AnOperatorOfIntegersHasNoGradient) {
  EXPECT_TRUE(of("aten::bitwise_and").forward);
  EXPECT_FALSE(of("aten::bitwise_and").gradient);
}

}  // namespace
}  // namespace plumb
