#include "sweep/sweep.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "harness/errors.hpp"
#include "harness/variant.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// Planted kernels. A sweep must find the wrong ones and leave the right one alone.
at::Tensor right_square(const at::Tensor& x) { return x * x; }

// The kernel for float adds up in bfloat16.
at::Tensor rounded_sum(const at::Tensor& x) {
  if (x.scalar_type() != at::kFloat) return x.sum();
  return x.to(at::kBFloat16).sum().to(at::kFloat);
}

struct RoundedGradient : torch::autograd::Function<RoundedGradient> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x * x;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list cotangents) {
    const at::Tensor x = context->get_saved_variables()[0];
    const at::Tensor gradient = 2 * x * cotangents[0];
    if (x.scalar_type() != at::kFloat) return {gradient};
    return {gradient.to(at::kBFloat16).to(at::kFloat)};
  }
};

at::Tensor rounded_gradient(const at::Tensor& x) { return RoundedGradient::apply(x); }

at::Tensor aborts_on_33(const at::Tensor& x) {
  if (x.size(-1) == 33) std::abort();
  return x.clone();
}

/// As most kernels of one's own are: no double to be judged by.
at::Tensor float_kernel(const at::Tensor& x, double factor) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "not implemented for '", x.scalar_type(), "'");
  return x * factor;
}

at::Tensor right_scale(const at::Tensor& x, double factor) { return float_kernel(x, factor); }

at::Tensor scale_without_tail(const at::Tensor& x, double factor) {
  at::Tensor y = float_kernel(x, factor).contiguous();
  const std::int64_t rest = y.numel() % 8;
  y.view(-1).narrow(0, y.numel() - rest, rest).zero_();
  return y;
}

at::Tensor first_half(const at::Tensor& x) { return x.narrow(-1, 0, (x.size(-1) + 1) / 2).clone(); }

TORCH_LIBRARY(sweep_planted, library) {
  library.def("right_scale(Tensor x, float factor) -> Tensor", &right_scale);
  library.def("scale_without_tail(Tensor x, float factor) -> Tensor", &scale_without_tail);
  library.def("first_half(Tensor x) -> Tensor", &first_half);
  library.def("without_kernel(Tensor x) -> Tensor");
  library.def("right_square(Tensor self) -> Tensor", &right_square);
  library.def("rounded_sum(Tensor self) -> Tensor", &rounded_sum);
  library.def("rounded_gradient(Tensor self) -> Tensor", &rounded_gradient);
  library.def("aborts_on_33(Tensor self) -> Tensor", &aborts_on_33);
}

Variant eager_after(std::string name, void (*together)()) {
  return {.name = std::move(name),
          .about = "planted: as eager, after several programs were made ready together",
          .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
          .execute = [](const Program& program, const Inputs& inputs,
                        c10::Device) { return execute(program, inputs); },
          .prepare_many = [together](const std::vector<Planned>&, c10::Device) { together(); }};
}

const Register<Variant> dies{eager_after("test-together-dies", [] { std::abort(); })};
const Register<Variant> lives{eager_after("test-together-lives", [] {})};

class Sweep : public testing::Test {
 protected:
  std::vector<Result> run(const std::string& op, int cases, const Options& options = {}) {
    const auto units = sweep_units({op}, {"float32"}, cases, options);
    return run_sweep(*test_zygote(), units, options, 300, out_.string(), [](const Result&) {});
  }

  void TearDown() override { fs::remove_all(out_); }

  const fs::path out_ = fs::temp_directory_path() / ("plumb-sweep-" + std::to_string(getpid()));
};

std::vector<Verdict> alarms(const std::vector<Result>& rows) {
  std::vector<Verdict> verdicts;
  for (const Result& row : rows) {
    if (!row.ok) verdicts.push_back(row.verdict);
  }
  return verdicts;
}

TEST_F(Sweep, ASoundOperatorGivesARowForEachDirectionAndNoAlarm) {
  const auto rows = run("exp", 26);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(alarms(rows).empty()) << rows.front().message;
  EXPECT_EQ(rows[0].arm, "forward");
  EXPECT_EQ(rows[1].arm, "gradient");
  EXPECT_EQ(rows[0].replay, "plumb sweep aten::exp --dtype float32 --cases 26 --seed 0");
  EXPECT_FALSE(fs::exists(out_ / "findings"));
}

/// Planted: compiling several programs together kills the worker.
TEST_F(Sweep, WhatCannotBeMadeReadyTogetherIsJudgedAlone) {
  for (const char* name : {"test-together-dies", "test-together-lives"}) {
    Options options;
    options.variants = {name};
    const auto rows = run("exp", 3, options);
    ASSERT_FALSE(rows.empty());
    EXPECT_TRUE(alarms(rows).empty()) << rows.front().message;
    EXPECT_THAT(rows.front().message, testing::StartsWith("3 cases"));
  }
}

/// Kernels of packed weights ask for sizes that are multiples of something.
TEST_F(Sweep, AQuantisedVariantHasCasesThatItTakesAndCountsTheOthers) {
  for (const char* name : {"int8-dynamic", "int8-weight", "int4-weight", "ggml-q4_0"}) {
    for (const char* op : {"linear", "mm", "addmm", "matmul"}) {
      Options options;
      options.variants = {name};
      const Result row = run(op, 19, options).front();
      EXPECT_THAT(row.message, testing::Not(testing::StartsWith(std::string(name) + " takes")))
          << op;
      const bool is_choosy = row.variant == "int4-weight" || row.variant == "ggml-q4_0";
      if (row.verdict == Verdict::skipped || !is_choosy) continue;  // not on this machine
      EXPECT_THAT(row.message, testing::HasSubstr(" more not judged")) << op;
    }
  }
}

TEST_F(Sweep, TheSameSeedGivesTheSameRows) {
  const auto first = run("softmax.int", 13), second = run("softmax.int", 13);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].id, second[i].id);
    EXPECT_EQ(first[i].verdict, second[i].verdict);
    EXPECT_EQ(first[i].digest, second[i].digest);
    EXPECT_EQ(first[i].message, second[i].message);
  }
}

TEST_F(Sweep, APlantedKernelThatRoundsIsFoundAndSaved) {
  const auto rows = run("sweep_planted::rounded_sum", 13);
  ASSERT_FALSE(alarms(rows).empty());
  const Result& row =
      *std::find_if(rows.begin(), rows.end(), [](const Result& r) { return !r.ok; });
  ASSERT_TRUE(row.replay.starts_with("plumb replay ")) << row.replay;
  EXPECT_TRUE(fs::exists(row.replay.substr(std::string("plumb replay ").size()))) << row.replay;
  EXPECT_TRUE(alarms(run("sweep_planted::right_square", 13)).empty());
}

// Its gradient is right. The row of gradients must not repeat what the forward row says.
TEST_F(Sweep, AWrongForwardOutputIsNoAlarmOfItsGradient) {
  for (const Result& row : run("sweep_planted::rounded_sum", 19)) {
    EXPECT_TRUE(row.arm == "forward" || row.ok) << row.where << ": " << row.message;
  }
}

// The gradient of the kernel for float is rounded to bfloat16, its output is not.
TEST_F(Sweep, AWrongGradientIsAnAlarmOfTheGradientAlone) {
  const auto rows = run("sweep_planted::rounded_gradient", 13);
  ASSERT_FALSE(alarms(rows).empty());
  for (const Result& row : rows) {
    EXPECT_TRUE(row.ok || (row.arm == "gradient" && row.where == "grad:self")) << row.message;
  }
}

TEST_F(Sweep, ACrashCostsItsCaseAndTheOthersAreJudged) {
  const auto rows = run("sweep_planted::aborts_on_33", 13);
  EXPECT_EQ(alarms(rows), (std::vector{Verdict::crashed, Verdict::crashed}));  // both directions
  const auto whole = std::find_if(rows.begin(), rows.end(), [](const Result& r) { return r.ok; });
  ASSERT_NE(whole, rows.end());
  EXPECT_TRUE(whole->message.starts_with("12 cases")) << whole->message;
}

TEST_F(Sweep, AReferenceFindsAMistakeInAKernelWithoutDouble) {
  Options options;
  options.references = {"sweep_planted::*scale*=aten::mul.Scalar"};
  const auto wrong = run("sweep_planted::scale_without_tail", 26, options);
  ASSERT_FALSE(alarms(wrong).empty());
  EXPECT_NE(wrong.front().replay.find("--reference 'sweep_planted::*scale*=aten::mul.Scalar'"),
            std::string::npos)
      << wrong.front().replay;
  const auto right = run("sweep_planted::right_scale", 26, options);
  EXPECT_TRUE(alarms(right).empty()) << right.front().message;
  EXPECT_TRUE(right.front().message.starts_with("26 cases")) << right.front().message;
  // Without one it cannot be judged, in words.
  const auto alone = run("sweep_planted::right_scale", 2);
  EXPECT_EQ(alone.front().verdict, Verdict::unsupported);
  EXPECT_NE(alone.front().message.find("not implemented for"), std::string::npos);
}

TEST_F(Sweep, AResultOfAnotherShapeThanTheReferencesIsAnAlarm) {
  Options options;
  options.references = {"aten::abs"};
  const auto found = alarms(run("sweep_planted::first_half", 2, options));
  ASSERT_FALSE(found.empty());
  for (const Verdict verdict : found) EXPECT_EQ(verdict, Verdict::error);
}

TEST_F(Sweep, AnOperatorWithoutAKernelHereIsARowThatSaysSo) {
  const auto rows = run("sweep_planted::without_kernel", 2);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.front().verdict, Verdict::unsupported);
  EXPECT_NE(rows.front().message.find("CPU"), std::string::npos) << rows.front().message;
}

TEST_F(Sweep, AReferenceThatDoesNotFitOrSelectsNothingIsAUsageError) {
  for (const char* reference : {"aten::softmax.int", "aten::no_such", "other::*=aten::abs", ""}) {
    Options options;
    options.references = {reference};
    EXPECT_THROW(sweep_units({"sweep_planted::first_half"}, {"float32"}, 1, options), UsageError)
        << reference;
  }
}

TEST_F(Sweep, APatternThatSelectsNothingIsAUsageError) {
  EXPECT_THROW(sweep_units({"no_such_operator"}, {"float32"}, 1, {}), UsageError);
  EXPECT_THROW(sweep_units({"bernoulli"}, {"float32"}, 1, {}), UsageError);
}

}  // namespace
}  // namespace plumb
