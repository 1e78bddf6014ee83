// Compiling takes seconds: few programs, many outputs each.

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "harness/variants/inductor/package.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class Inductor : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = inductor::why_no_compiler()) GTEST_SKIP() << *why;
  }
};

Settings compiled() {
  Settings settings;
  settings.variant = "inductor";
  return settings;
}

/// Lists, sizes that were read, constants, kinds of arguments that a graph keeps as integers.
Outputs many_things(const Inputs& in, Widening) {
  const at::Tensor& x = in["x"];
  const at::Tensor weight = at::arange(12, at::kFloat).reshape({3, 4}).to(x.scalar_type()) / 7;
  Outputs outputs;
  const auto add = [&](const at::Tensor& y) {
    outputs.push_back({"output " + std::to_string(outputs.size()), y});
  };
  add(at::linear(x, weight).softmax(-1));
  add(at::cat({x, x.exp()}, 0).sum(0, false, std::nullopt));
  add((x * x.size(0)).mean());
  for (const at::Tensor& half : x.split(2, 1)) add(half.tanh());
  add(x.index_select(1, constant(at::IntArrayRef{3, 0})));
  add(at::where(x > 0, x, -std::numeric_limits<double>::infinity()));
  return outputs;
}

TEST_F(Inductor, ComputesWhatTheProgramDoes) {
  const Program program = {.name = "many things",
                           .forward = many_things,
                           .traits = {.promise = Promise::composite, .why = "a test"},
                           .grad = {},
                           .cotangent = {}};
  const Inputs inputs = {{"x", at::arange(20, at::kFloat).reshape({5, 4}) / 9 - 1}};
  const Evaluation row = evaluate({program, inputs, at::kFloat, {}}, compiled());
  EXPECT_TRUE(row.result.verdict == Verdict::stable || row.result.verdict == Verdict::exact)
      << to_string(row.result.verdict) << " " << row.result.message;
  EXPECT_EQ(row.outputs.size(), 7U);
}

/// pytorch/pytorch#197089: the sum of squares is float's, in which 1e-60 is 0.
TEST_F(Inductor, AKnownDefectOfCompiledCodeIsFound) {
  const Program deviation = operator_program(*operator_named("aten::std.correction"));
  const Inputs inputs = {{"self", at::arange(1, 4, at::kFloat) * 1e-30},
                         {"dim", c10::List<std::int64_t>({0})}};
  EXPECT_EQ(evaluate({deviation, inputs, at::kFloat, {}}, compiled()).result.verdict,
            Verdict::flushed);
}

Program times(double factor) {
  return native_program("scaled", [factor](const Inputs& in) {
    return in["x"] * at::full({4}, factor, in["x"].options());
  });
}

/// Planted: whatever the program is, the package has another constant in it.
const Register<Variant> altered{{
    .name = "test-altered-constant",
    .about = "planted: a package whose constant was altered",
    .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
    .execute =
        [](const Program&, const Inputs& inputs, c10::Device device) {
          return variant_or_usage_error("inductor").execute(times(1.0001), inputs, device);
        },
}};

TEST_F(Inductor, AnAlteredConstantIsFound) {
  const Subject subject{times(1), {{"x", at::ones({4}) / 3}}, at::kFloat, {}};
  EXPECT_EQ(evaluate(subject, compiled()).result.verdict, Verdict::exact);
  Settings settings;
  settings.variant = "test-altered-constant";
  EXPECT_EQ(evaluate(subject, settings).result.verdict, Verdict::unstable);
}

TEST_F(Inductor, TheSameProgramIsCompiledOnce) {
  const Program program = native_program("program", [](const Inputs& in) { return in["x"] + 17; });
  const Inputs inputs = {{"x", at::ones({3})}};
  const TracedGraph traced = traced_graph(program, inputs);
  const auto calls = inductor::calls_of(traced, tensors_of(inputs));
  const fs::path package = inductor::package_of(calls);
  const auto written = fs::last_write_time(package);
  EXPECT_EQ(inductor::package_of(calls), package);
  EXPECT_EQ(fs::last_write_time(package), written);
}

TEST_F(Inductor, WhatItCannotCompileIsSkippedInItsWords) {
  const Result row =
      evaluate({native_program("nonzero", [](const Inputs& in) { return in["x"].nonzero(); }),
                {{"x", at::ones({3})}},
                at::kFloat,
                {}},
               compiled())
          .result;
  if (row.verdict == Verdict::skipped) {
    EXPECT_THAT(row.message, testing::HasSubstr("AOTInductor cannot compile it: "));
  } else {
    EXPECT_EQ(row.verdict, Verdict::exact) << row.message;
  }
}

TEST_F(Inductor, ThereIsNoGradient) {
  Program program = native_program("program", [](const Inputs& in) { return in["x"].exp(); });
  program.grad = {"x"};
  const Result row = evaluate({program, {{"x", at::ones({3})}}, at::kFloat, {}}, compiled()).result;
  EXPECT_EQ(row.verdict, Verdict::skipped);
}

}  // namespace
}  // namespace plumb
