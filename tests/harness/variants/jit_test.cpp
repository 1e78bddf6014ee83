#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/raised.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

Result judged(Program program, Inputs inputs) {
  Settings settings;
  settings.variant = "jit";
  return evaluate({std::move(program), std::move(inputs), at::kFloat, {}}, settings).result;
}

TEST(Jit, AnOperatorIsWhatItIsInEager) {
  const Result row = judged(operator_program(*operator_named("aten::softmax.int")),
                            {{"self", at::randn({4, 9})}, {"dim", 1}});
  EXPECT_EQ(row.verdict, Verdict::stable);
  EXPECT_EQ(row.r, row.r_eager);
}

TEST(Jit, AnArgumentWrittenToIsAnOutput) {
  const Result row =
      judged(operator_program(*operator_named("aten::exp_")), {{"self", at::randn({9})}});
  EXPECT_TRUE(row.verdict == Verdict::stable || row.verdict == Verdict::exact) << row.message;
}

TEST(Jit, GradientsGoThroughTheGraph) {
  Program program =
      native_program("program", [](const Inputs& in) { return (in["x"] * in["x"]).tanh().sum(); });
  program.grad = {"x"};
  const Variant& jit = variant_or_usage_error("jit");
  const at::Tensor x = at::full({3}, 0.5);
  const Outputs outputs = jit.execute(program, {{"x", x}}, c10::kCPU).outputs;
  ASSERT_EQ(outputs.size(), 2U);
  const at::Tensor right = 2 * x * (1 - (x * x).tanh().square());
  EXPECT_TRUE(outputs[1].tensor.allclose(right, 1e-6));
}

TEST(Jit, WhatIsPreparedOnceRunsOnOtherNumbers) {
  const Program program = native_program("program", [](const Inputs& in) { return in["x"].exp(); });
  const Prepared prepared =
      variant_or_usage_error("jit").prepare(program, {{"x", at::zeros({3})}}, c10::kCPU);
  for (const double value : {1.0, 2.0, 3.0, 4.0}) {
    const at::Tensor x = at::full({3}, value);
    EXPECT_TRUE(prepared({{"x", x}}).outputs.front().tensor.equal(x.exp()));
  }
}

/// Found when the third run is asked for other numbers than the graph was recorded with.
TEST(Jit, AnErrorIsInTheWordsOfTheOperator) {
  const Program program = operator_program(*operator_named("aten::index_select"));
  const auto inputs_at = [](double place) {
    return Inputs{{"self", at::ones({3})}, {"dim", 0}, {"index", at::full({1}, place, at::kLong)}};
  };
  const Prepared prepared = variant_or_usage_error("jit").prepare(program, inputs_at(1), c10::kCPU);
  try {
    prepared(inputs_at(7));
    FAIL() << "no error";
  } catch (const std::exception& error) {
    EXPECT_EQ(message_of(error), "index out of range in self");
  }
}

}  // namespace
}  // namespace plumb
