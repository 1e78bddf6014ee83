#include "harness/oracle_device.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/oracle.hpp"

namespace plumb {
namespace {

/// Which device the program was run on, as an oracle runs it; the device `meta` computes nothing.
c10::Device device_seen() {
  c10::Device seen = c10::kCPU;
  const Program program = native_program("program", [&](const Inputs& in) {
    seen = in["x"].device();
    return at::ones({2});
  });
  const Inputs inputs = {{"x", at::ones({2})}};
  const Truths truths = evaluate_widened(program, inputs, at::kDouble);
  EXPECT_TRUE(truths.front().hi.is_cpu());
  EXPECT_TRUE(inputs["x"].is_cpu());
  return seen;
}

TEST(OracleDevice, IsTheHostUnlessAnotherIsChosen) {
  EXPECT_EQ(device_seen(), c10::Device(c10::kCPU));
  {
    const OraclesOn outer(c10::kMeta);
    EXPECT_EQ(device_seen().type(), c10::kMeta);
    {
      const OraclesOn inner(c10::kCPU);
      EXPECT_EQ(device_seen(), c10::Device(c10::kCPU));
    }
    EXPECT_EQ(device_seen().type(), c10::kMeta);
  }
  EXPECT_EQ(device_seen(), c10::Device(c10::kCPU));
}

TEST(OracleDevice, IsTheVariantsForLargeInputsWithoutGradients) {
  Program program = native_program("program", [](const Inputs& in) { return in["x"]; });
  const c10::Device device(c10::kCUDA, 1);
  const Inputs small = {{"x", at::ones({100})}};
  const Inputs large = {{"x", at::ones({1 << 20})}};
  EXPECT_EQ(best_oracle_device(program, small, device), c10::Device(c10::kCPU));
  EXPECT_EQ(best_oracle_device(program, large, device), device);
  program.grad = {"x"};
  EXPECT_EQ(best_oracle_device(program, large, device), c10::Device(c10::kCPU));
}

}  // namespace
}  // namespace plumb
