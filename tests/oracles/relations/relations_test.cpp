// Every relation finds a fault planted for it, and leaves sound operators alone.

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include "harness/relation.hpp"
#include "harness/run.hpp"
#include "oracles/relations/written.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Function = std::function<at::Tensor(const Inputs&)>;

constexpr Traits kPointwise{.reduction = Reduction::pointwise};

/// What the relation says of a function that claims to be the operator `name`.
Result related(const std::string& relation, const std::string& name, const Function& function,
               const Inputs& inputs, const Traits& traits = {}) {
  Program program = native_program(name, function, traits);
  const Subject subject{
      std::move(program), inputs, inputs.begin()->value.toTensor().scalar_type(), {}};
  // The program itself in double is the truth: planted faults are of float alone.
  return evaluate(subject, {.oracle = "fp64", .relations = {relation}}).result;
}

void finds(const std::string& relation, const Result& result) {
  EXPECT_EQ(result.verdict, Verdict::relation_broken) << result.message;
  EXPECT_THAT(result.message, StartsWith(relation + ": "));
  EXPECT_EQ(result.where, "output 0, " + relation);
}

void holds(const Result& result) { EXPECT_GE(result.verdict, Verdict::overflow) << result.message; }

/// Of float tensors alone, 1 % more where the mask says so.
at::Tensor spoiled(const at::Tensor& y, const at::Tensor& where) {
  return y.scalar_type() == at::kFloat ? at::where(where, y * 1.01, y) : y;
}

at::Tensor ramp(std::int64_t n) { return at::arange(1, n + 1, at::kFloat) / 7; }

TEST(Relations, LayoutFindsAKernelThatIgnoresStrides) {
  const auto ignores = [](const Inputs& in) {
    const at::Tensor x = in["x"];
    return x.as_strided(x.sizes(), at::empty(x.sizes()).strides()).exp();
  };
  finds("layout", related("layout", "program", ignores, {{"x", ramp(20)}}));
  holds(related("layout", "program", [](const Inputs& in) { return in["x"].exp(); },
                {{"x", ramp(20)}}));
}

TEST(Relations, LayoutAsksNothingOfWhatIsAddressedByStrides) {
  const auto first_of_storage = [](const Inputs& in) {
    return in["self"].as_strided({3}, {1}, in["self"].storage_offset());
  };
  holds(related("layout", "aten::as_strided_copy", first_of_storage, {{"self", ramp(8)}}));
}

TEST(Relations, LayoutComparesStridedInputsWithContiguousOnes) {
  const at::Tensor strided = ramp(40).slice(0, 0, 40, 2);
  const auto wrong_when_dense = [](const Inputs& in) {
    const at::Tensor y = in["x"].exp();
    return in["x"].is_contiguous() ? spoiled(y, at::ones({1}, at::kBool)) : y;
  };
  finds("layout", related("layout", "program", wrong_when_dense, {{"x", strided}}));
}

/// Wrong in the last, incomplete vector of 16.
at::Tensor wrong_tail(const Inputs& in) {
  const at::Tensor y = in["x"].exp();
  const std::int64_t n = y.numel();
  return spoiled(y, at::arange(n).ge(n / 16 * 16).reshape(y.sizes()));
}

/// Wrong in whole vectors of 16.
at::Tensor wrong_body(const Inputs& in) {
  const at::Tensor y = in["x"].exp();
  const std::int64_t n = y.numel();
  return spoiled(y, at::arange(n).lt(n / 16 * 16).reshape(y.sizes()));
}

TEST(Relations, PositionFindsTailsAndBodiesThatDisagree) {
  const Inputs multiple{{"x", ramp(128)}};  // no tail here: the elements asked alone have one
  const Inputs few{{"x", ramp(6).reshape({2, 3})}};
  finds("position", related("position", "program", wrong_tail, multiple, kPointwise));
  finds("position", related("position", "program", wrong_body, few, kPointwise));
  const auto sound = [](const Inputs& in) { return in["x"].exp(); };
  holds(related("position", "program", sound, multiple, kPointwise));
  holds(related("position", "program", sound, few, kPointwise));
}

TEST(Relations, PositionHasNoMeaningForASum) {
  holds(related("position", "program", [](const Inputs& in) { return in["x"].sum(); },
                {{"x", ramp(8)}}));
}

TEST(Relations, BatchFindsRowsThatDependOnTheirNumber) {
  const Inputs inputs{{"x", ramp(24).reshape({4, 6})}};
  const auto wrong = [](const Inputs& in) {
    const at::Tensor y = in["x"].softmax(-1);
    return y.size(0) == 2 ? spoiled(y, at::ones({1}, at::kBool)) : y;
  };
  finds("batch", related("batch", "program", wrong, inputs));
  holds(related(
      "batch", "program", [](const Inputs& in) { return in["x"].softmax(-1); }, inputs));
}

TEST(Relations, BatchHasNoMeaningForStatisticsOverTheBatch) {
  holds(related("batch", "program", [](const Inputs& in) { return in["x"] - in["x"].mean(); },
                {{"x", ramp(24).reshape({4, 6})}}));
}

TEST(Relations, RunToRunFindsWhatChangesByItself) {
  int run = 0;
  const auto flaky = [&](const Inputs& in) {
    return in["x"] * (in["x"].scalar_type() == at::kFloat && ++run % 2 == 0 ? 1 + 0x1p-23 : 1.0);
  };
  const Result result = related("run-to-run", "program", flaky, {{"x", ramp(5)}});
  EXPECT_EQ(result.verdict, Verdict::nondeterministic);
  holds(related("run-to-run", "program", [](const Inputs& in) { return in["x"].exp(); },
                {{"x", ramp(5)}}));
}

TEST(Relations, ThreadsFindsWhatDependsOnTheirNumber) {
  const auto wrong = [](const Inputs& in) {
    const at::Tensor y = in["x"].exp();
    return at::get_num_threads() == 2 ? spoiled(y, at::ones({1}, at::kBool)) : y;
  };
  at::set_num_threads(1);
  finds("threads", related("threads", "program", wrong, {{"x", ramp(5)}}));
  EXPECT_EQ(at::get_num_threads(), 1);
}

// Operators planted in the dispatcher: the plain one doubles, its twins do not.
at::Tensor twice(const at::Tensor& x) { return x * 2; }
at::Tensor& thrice_in_place(at::Tensor& x) { return x.mul_(3); }
at::Tensor& adds_to_out(const at::Tensor& x, at::Tensor& out) { return out.add_(x, 2); }

TORCH_LIBRARY(planted, library) {
  library.def("twice(Tensor x) -> Tensor", twice);
  library.def("twice_(Tensor(a!) x) -> Tensor(a!)", thrice_in_place);
  library.def("twice.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", adds_to_out);
}

TEST(Relations, InPlaceAndOutFindTwinsThatDiffer) {
  finds("in-place", related("in-place", "planted::twice",
                            [](const Inputs& in) { return twice(in["x"]); }, {{"x", ramp(5)}}));
  const Result out = related("out", "planted::twice",
                             [](const Inputs& in) { return twice(in["x"]); }, {{"x", ramp(5)}});
  finds("out", out);
  EXPECT_THAT(out.message, HasSubstr("nan"));
}

TEST(Relations, InPlaceWritesToNoSharedMemory) {
  const auto tril = [](const Inputs& in) { return in["self"].tril(); };
  const Inputs expanded{{"self", at::ones({1, 4}).expand({4, 4})}};
  holds(related("in-place", "aten::tril", tril, expanded));
}

TEST(Relations, TwinsAreThoseOfTheSameArguments) {
  const auto overload = [](const auto& handle) {
    return handle ? handle->operator_name().name + "." + handle->operator_name().overload_name : "";
  };
  EXPECT_EQ(overload(in_place_twin("aten::add.Tensor")), "aten::add_.Tensor");
  EXPECT_EQ(overload(out_twin("aten::add.Tensor")), "aten::add.out");
  EXPECT_EQ(overload(out_twin("aten::add.Scalar")), "aten::add.Scalar_out");
  EXPECT_EQ(overload(out_twin("aten::div.Tensor_mode")), "aten::div.out_mode");
  EXPECT_EQ(overload(out_twin("aten::sum.dim_IntList")), "aten::sum.IntList_out");
  EXPECT_EQ(overload(out_twin("aten::max.dim")), "aten::max.dim_max");
  EXPECT_EQ(overload(in_place_twin("aten::softmax.int")), "");
}

/// Right for inputs up to `most`, 1 % off beyond.
Function wrong_beyond(double most, const Function& right) {
  return [=](const Inputs& in) {
    const at::Tensor y = right(in);
    const bool beyond = in.begin()->value.toTensor().max().item<double>() > most;
    return beyond ? spoiled(y, at::ones({1}, at::kBool)) : y;
  };
}

/// Probabilities that were rounded once each need not sum to one within one rounding.
TEST(Relations, SumLeavesRoundedProbabilitiesAlone) {
  const at::Tensor x = at::tensor({89., -30., 121., -55., -88., -81., 94., -84., 124., 128., 120.,
                                   -100., -75., 2., 127.})
                           .to(at::kBFloat16);
  const Inputs inputs = {{"self", x}, {"dim", 0}};
  holds(related(
      "sum", "aten::softmax.int", [](const Inputs& in) { return in["self"].softmax(0); }, inputs));
  for (const c10::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
    for (int i = 0; i < 50; ++i) {
      const Inputs drawn = {{"self", at::randn({4, 15}, generator).mul(20).to(dtype)}, {"dim", 1}};
      holds(related(
          "sum", "aten::softmax.int", [](const Inputs& in) { return in["self"].softmax(1); },
          drawn));
      // Its tail may be flushed by itself.
      const Result logarithms = related(
          "sum", "aten::log_softmax.int",
          [](const Inputs& in) { return in["self"].log_softmax(1); }, drawn);
      EXPECT_NE(logarithms.verdict, Verdict::relation_broken) << logarithms.message;
    }
  }
}

TEST(Relations, ShiftFindsASoftmaxThatSeesMoreThanDifferences) {
  const Function softmax = [](const Inputs& in) { return in["self"].softmax(-1); };
  const Inputs whole{{"self", at::tensor({0.F, 1.F, 3.F, 4.F})}, {"dim", 0}};
  finds("shift", related("shift", "aten::softmax.int", wrong_beyond(5, softmax), whole));
  holds(related("shift", "aten::softmax.int", softmax, whole));
  const Inputs rounds{{"self", at::tensor({0.1F, 1e-9F, 3.F})}, {"dim", 0}};
  holds(related("shift", "aten::softmax.int", wrong_beyond(3, softmax), rounds));  // not exact
}

TEST(Relations, SumJudgesProbabilitiesThatNoOracleCan) {
  // In double there is no wider oracle, so that the sum alone can tell.
  const Function softmax = [](const Inputs& in) { return in["self"].softmax(-1); };
  const Function off = [=](const Inputs& in) { return softmax(in) * (1 + 1e-12); };
  const Inputs inputs{{"self", ramp(9).to(at::kDouble)}, {"dim", 0}};
  finds("sum", related("sum", "aten::softmax.int", off, inputs));
  EXPECT_EQ(related("sum", "aten::softmax.int", softmax, inputs).verdict, Verdict::unsupported);
}

TEST(Relations, ScaleFindsANormOfOtherDegree) {
  const Function norm = [](const Inputs& in) { return in["self"].norm(); };
  const Inputs inputs{{"self", ramp(6)}};
  finds("scale", related("scale", "aten::norm", wrong_beyond(50, norm), inputs));
  holds(related("scale", "aten::norm", norm, inputs));
}

TEST(Relations, ScaleSkipsANormThatCounts) {
  const Function count = [](const Inputs& in) { return in["self"].norm(0); };
  holds(related("scale", "aten::norm.Scalar", count, {{"self", ramp(6)}, {"p", 0}}));
}

TEST(Relations, SymmetryFindsAnOddFunctionThatIsNot) {
  const Function tanh = [](const Inputs& in) { return in["self"].tanh(); };
  const Function lopsided = [=](const Inputs& in) { return spoiled(tanh(in), in["self"].lt(0)); };
  finds("symmetry", related("symmetry", "aten::tanh", lopsided, {{"self", ramp(6)}}));
  holds(related("symmetry", "aten::tanh", tanh, {{"self", ramp(6)}}));
}

TEST(Relations, SymmetrySwapsArguments) {
  const Function hypot = [](const Inputs& in) { return at::hypot(in["self"], in["other"]); };
  const Function lopsided = [=](const Inputs& in) {
    return spoiled(hypot(in), in["self"].gt(in["other"]));
  };
  const Inputs inputs{{"self", ramp(6)}, {"other", ramp(6) + 1}};
  finds("symmetry", related("symmetry", "aten::hypot", lopsided, inputs));
  holds(related("symmetry", "aten::hypot", hypot, inputs));
}

TEST(Relations, MonotoneFindsAnExpThatFalls) {
  const at::Tensor x = at::tensor({1.0, 1.0 + 1e-9, 2.0}, at::kDouble);
  const Function exp = [](const Inputs& in) { return in["self"].exp(); };
  const Function falls = [=](const Inputs& in) {
    return exp(in) - in["self"].gt(1).logical_and(in["self"].lt(2)).to(at::kDouble) * 1e-6;
  };
  finds("monotone", related("monotone", "aten::exp", falls, {{"self", x}}));
  EXPECT_EQ(related("monotone", "aten::exp", exp, {{"self", x}}).verdict, Verdict::unsupported);
}

TEST(Relations, TheSignOfZeroCountsWhereElementsAreMadeOfOneEach) {
  const auto loses_sign = [](const Inputs& in) {
    const at::Tensor y = in["x"].abs() * 0;
    return in["x"].is_contiguous() ? y : y.neg();
  };
  finds("layout", related("layout", "program", loses_sign, {{"x", ramp(4)}}, kPointwise));
  holds(related("layout", "program", loses_sign, {{"x", ramp(4)}}));
}

TEST(Relations, WordsStandForSeveral) {
  EXPECT_EQ(relations_from("layout"), std::vector<std::string>{"layout"});
  EXPECT_TRUE(relations_from("none").empty());
  EXPECT_THAT(relations_from("all"), testing::Contains("threads"));
  EXPECT_THAT(relations_from("usual"), testing::Not(testing::Contains("threads")));
  EXPECT_THAT(relations_from("usual"), testing::Contains("layout"));
}

}  // namespace
}  // namespace plumb
