#include "harness/question.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/run.hpp"

namespace plumb {
namespace {

/// log_softmax of rows of one 0 and many -64: the logarithm of 1 + 2.5e-25, which fp64 takes for 0.
/// Too large for quad to be asked at once.
Subject rows_that_one_outweighs(double factor) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::log_softmax", "int");
  Program program = operator_program(op);
  program.forward = [factor, stock = program.forward](const Inputs& in, Widening widening) {
    if (widening) return stock(in, widening);
    const at::Tensor x = in["self"].to(at::kDouble);
    const at::Tensor others = x.exp().narrow(-1, 1, x.size(-1) - 1).sum(-1, true);
    return Outputs{{"output 0", ((x - others.log1p()) * factor).to(at::kFloat)}};
  };
  at::Tensor x = at::full({6, 4096}, -64.0, at::kFloat);
  x.select(-1, 0).zero_();
  return {program, {{"self", x}, {"dim", -1}}, at::kFloat, {}};
}

Result judged(const Subject& subject, const Settings& settings) {
  return evaluate(subject, settings).result;
}

TEST(Question, AnAlarmOfAnOracleThatIsQuickIsConfirmedByTheDearerOne) {
  const Result sound = judged(rows_that_one_outweighs(1), {});
  EXPECT_GE(sound.verdict, Verdict::ill_conditioned) << sound.message;
  EXPECT_EQ(sound.oracle, "quad");
  const Result wrong = judged(rows_that_one_outweighs(1.01), {});
  EXPECT_EQ(wrong.verdict, Verdict::unstable);
  EXPECT_EQ(wrong.oracle, "quad");
  EXPECT_EQ(judged(rows_that_one_outweighs(1), {.oracle = "fp64"}).verdict, Verdict::oracle_weak);
}

}  // namespace
}  // namespace plumb
