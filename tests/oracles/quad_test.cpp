#include <cmath>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "oracles/quad/reference.hpp"
#include "tests/oracles/quad/call.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Truth truth(const std::string& op, const Inputs& inputs) {
  Program program;
  program.name = op;
  return quad_oracle().evaluate(program, inputs)[0];
}

at::Tensor numbers(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

std::vector<double> list(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

/// The sum of hi + lo, in quad.
quad::Quad total(const Truth& value) {
  quad::Quad sum = 0;
  for (const at::Tensor& part : {value.hi, value.lo}) {
    for (const double x : list(part)) sum += quad::Quad(x);
  }
  return sum;
}

TEST(Quad, HiIsTheTruthRoundedOnceAndLoTheRest) {
  const Truth value = truth("aten::exp", {{"self", at::linspace(-40, 40, 1000, at::kDouble)}});
  EXPECT_TRUE(at::equal(value.hi + value.lo, value.hi));
  EXPECT_GT(value.lo.ne(0).sum().item<std::int64_t>(), 990);
}

TEST(Quad, OutOfTheRangeOfDoubleHiIsInfiniteOrZero) {
  const Truth value = truth("aten::exp", {{"self", numbers({710, -746, -745})}});
  EXPECT_EQ(list(value.hi), (std::vector<double>{kInfinity, 0, 0x1p-1074}));
  EXPECT_EQ(list(value.lo), (std::vector<double>{0, 0, 0}));
}

TEST(Quad, ReadsEveryTypeAndLayoutExactly) {
  const at::Tensor x = at::arange(1, 25, at::kDouble).reshape({4, 6}) / 8;
  const std::vector<double> right = list(truth("aten::log", {{"self", x}}).hi);
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    EXPECT_EQ(list(truth("aten::log", {{"self", x.to(dtype)}}).hi), right);
  }
  EXPECT_EQ(list(truth("aten::log", {{"self", x.t().contiguous().t()}}).hi), right);
  EXPECT_EQ(list(truth("aten::log", {{"self", (-x)._neg_view()}}).hi), right);
  EXPECT_EQ(list(truth("aten::log", {{"self", at::full({1}, 2.0).expand({3})}}).hi),
            std::vector<double>(3, std::log(2.0)));
  const at::Tensor leaf = x.clone().requires_grad_(true);
  EXPECT_EQ(list(truth("aten::log", {{"self", leaf}}).hi), right);
}

TEST(Quad, AnIntegerInAFloatingPlaceCountsAsItsValue) {
  const at::Tensor x = at::tensor({1, 2, 3}, at::kLong);
  EXPECT_EQ(list(truth("aten::exp", {{"self", x}}).hi),
            list(truth("aten::exp", {{"self", x.to(at::kDouble)}}).hi));
}

TEST(QuadProperty, ProbabilitiesOfASoftmaxSumToOne) {
  const at::Tensor x = at::linspace(-30, 30, 501, at::kDouble).sin() * 40;
  const Truth value = truth("aten::softmax.int", {{"self", x}, {"dim", 0}});
  EXPECT_TRUE(fabsq(total(value) - 1) <= quad::Quad(0x1p-100));
}

TEST(QuadProperty, AShiftLeavesTheVarianceAlone) {
  const at::Tensor x = at::arange(100, at::kDouble).sin().mul(1024).round();  // sums are exact
  const Truth before = truth("aten::var", {{"self", x}});
  const Truth after = truth("aten::var", {{"self", x + 0x1p50}});
  EXPECT_TRUE(fabsq(total(before) - total(after)) <= quad::Quad(0x1p-100) * total(before));
}

TEST(QuadProperty, TheIdentityLeavesAMatrixAlone) {
  const at::Tensor x = at::arange(1, 37, at::kDouble).reshape({6, 6}).reciprocal();
  const Truth value = truth("aten::mm", {{"self", x}, {"mat2", at::eye(6, at::kDouble)}});
  EXPECT_TRUE(at::equal(value.hi, x));
  EXPECT_EQ(value.lo.count_nonzero().item<std::int64_t>(), 0);
}

TEST(QuadProperty, AnExponentialUndoesALogarithm) {
  const at::Tensor x = at::linspace(0.01, 50, 999, at::kDouble);
  const Truth log = truth("aten::log", {{"self", x}});
  const Truth again = truth("aten::exp", {{"self", log.hi}});
  // exp(hi + lo) = exp(hi)(1 + lo), and lo is below 2^-51.
  EXPECT_LE((again.hi * (1 + log.lo) - x + again.lo).div(x).abs().max().item<double>(), 0x1p-52);
}

TEST(Quad, LimitsAtInfinity) {
  const at::Tensor low = numbers({-kInfinity});
  for (const char* op : {"aten::silu", "aten::gelu", "aten::mish", "aten::hardswish"}) {
    EXPECT_EQ(list(truth(op, {{"self", low}}).hi), std::vector<double>{0.0}) << op;
  }
  const at::Tensor nothing = numbers({-kInfinity, -kInfinity});
  const std::vector<std::int64_t> whole = {0};
  EXPECT_EQ(truth("aten::logsumexp", {{"self", nothing}, {"dim", whole}}).hi.item<double>(),
            -kInfinity);
  EXPECT_TRUE(
      at::isnan(truth("aten::softmax.int", {{"self", nothing}, {"dim", 0}}).hi).all().item<bool>());
  EXPECT_EQ(list(truth("aten::_safe_softmax", {{"self", nothing}, {"dim", 0}}).hi),
            (std::vector<double>{0, 0}));
}

TEST(Quad, BetaZeroIgnoresItsTensor) {
  const at::Tensor nan = numbers({kNaN}).expand({2, 2});
  const at::Tensor one = at::ones({2, 2}, at::kDouble);
  const Truth value =
      truth("aten::addmm", {{"self", nan}, {"mat1", one}, {"mat2", one}, {"beta", 0}});
  EXPECT_TRUE(at::equal(value.hi, 2 * one));
}

TEST(Quad, TanhshrinkOfANativeProgram) {
  const Program program = native_program(
      "aten::tanhshrink", [](const Inputs& in) { return in["self"] - in["self"].tanh(); });
  const Inputs inputs{{"self", numbers({1e-3, 1e-100, -0.5, 3})}};
  ASSERT_EQ(quad_oracle().unavailable(program, inputs), std::nullopt);
  const at::Tensor hi = quad_oracle().evaluate(program, inputs)[0].hi;
  // mpmath, 40 digits, rounded to double.
  EXPECT_EQ(list(hi), (std::vector<double>{3.33333200000054e-10, 3.3333333333333334e-301,
                                           -0.03788284273999024, 2.0049452463132695}));
}

TEST(Quad, SaysWhyItCannotAnswer) {
  const struct {
    const char* op;
    const char* args;
    const char* why;
  } refused[] = {
      {"aten::sort", R"({"self": {"shape": [3], "fill": "normal"}})", "does not define aten::sort"},
      {"aten::exp", R"({"self": {"dtype": "complex128", "data": [[1, 2]]}})", "self is complex"},
      {"aten::add.Tensor", R"({"self": {"dtype": "int64", "data": [1]},
          "other": {"dtype": "int64", "data": [1]}})",
       "an integer result"},
      {"aten::sum", R"({"self": {"shape": [3], "fill": "normal"}, "dtype": "int64"})",
       "not floating"},
      {"aten::round.decimals", R"({"self": {"shape": [3], "fill": "normal"}, "decimals": 2})",
       "with the argument decimals"},
      {"aten::rms_norm", R"({"input": {"shape": [3], "fill": "normal", "dtype": "float32"},
          "normalized_shape": [3]})",
       "default of eps"},
      {"aten::cross_entropy_loss", R"({"self": {"shape": [2, 3], "fill": "normal"},
          "target": {"shape": [2, 3], "fill": "normal"}})",
       "probabilities"},
      {"aten::add.Tensor", R"({"self": {"shape": [3], "fill": "normal"},
          "other": {"shape": [4], "fill": "normal"}})",
       "of these arguments"},
      {"aten::exp", R"({"self": {"shape": [100000], "fill": "normal", "dtype": "float32"}})",
       "more than 10 ms"},
      {"aten::exp", R"({"self": {"shape": [5000000], "fill": "normal", "dtype": "float64"}})",
       "more than 640 ms"},
  };
  for (const auto& [op, args, why] : refused) {
    const Call made = call(op, args);
    EXPECT_THAT(quad_oracle().unavailable(made.program, made.inputs).value_or("nothing"),
                HasSubstr(why))
        << op;
  }
  Call with_gradient = call("aten::exp", R"({"self": {"shape": [3], "fill": "normal"}})");
  with_gradient.program.grad = {"self"};
  EXPECT_THAT(quad_oracle().unavailable(with_gradient.program, with_gradient.inputs).value(),
              HasSubstr("gradients"));
}

TEST(Quad, AnswersForNothingButAPlainCall) {
  Call made = call("aten::softmax.int", R"({"self": {"shape": [3], "fill": "normal"}, "dim": 0})");
  ASSERT_EQ(quad_oracle().unavailable(made.program, made.inputs), std::nullopt);
  made.program.name = "aten::softmax.int → aten::sum";
  EXPECT_NE(quad_oracle().unavailable(made.program, made.inputs), std::nullopt);
  made.program.name = "aten::softmax.no_such_overload";
  EXPECT_NE(quad_oracle().unavailable(made.program, made.inputs), std::nullopt);
  made.program.name = "aten::softmax.int";
  const Inputs without_dim{{"self", made.inputs["self"]}};
  EXPECT_THAT(quad_oracle().unavailable(made.program, without_dim).value_or(""),
              HasSubstr("the argument dim"));
}

// What only selects or rounds is exact in double too.
TEST(Quad, SelectionAndRoundingAreThoseOfDouble) {
  const std::vector<double> values = {0,       0.5,   -0.5,      1.5,        -2.5, 7,
                                      -1e-310, 1e300, kInfinity, -kInfinity, kNaN};
  const at::Tensor x = numbers(values).unsqueeze(1);
  const Oracle& fp64 = *Registry<Oracle>::instance().find("fp64");
  const auto expect_equal = [&](const std::string& op, const Inputs& inputs) {
    const auto dot = op.find('.');
    const c10::OperatorName name(op.substr(0, dot),
                                 dot == std::string::npos ? "" : op.substr(dot + 1));
    const Program program = operator_program(c10::Dispatcher::singleton().findSchemaOrThrow(
        name.name.c_str(), name.overload_name.c_str()));
    ASSERT_EQ(quad_oracle().unavailable(program, inputs), std::nullopt) << op;
    const at::Tensor hi = quad_oracle().evaluate(program, inputs)[0].hi;
    const at::Tensor wanted = fp64.evaluate(program, inputs)[0].hi;
    EXPECT_TRUE(at::allclose(hi, wanted, 0, 0, /*equal_nan=*/true)) << op << hi << wanted;
  };
  for (const char* op : {"abs", "ceil", "floor", "frac", "hardshrink", "hardtanh", "leaky_relu",
                         "neg", "relu", "relu6", "round", "softshrink", "trunc"}) {
    expect_equal(std::string("aten::") + op, {{"self", x}});
  }
  for (const char* op : {"copysign.Tensor", "fmax", "fmin", "maximum", "minimum"}) {
    expect_equal(std::string("aten::") + op, {{"self", x}, {"other", x.t()}});
  }
  expect_equal("aten::clamp_min.Tensor", {{"self", x}, {"min", x.t()}});
  expect_equal("aten::clamp_max.Tensor", {{"self", x}, {"max", x.t()}});
  expect_equal("aten::threshold", {{"self", x}, {"threshold", 1.0}, {"value", 20}});
}

TEST(Quad, NeverRaisesAtTheExtremes) {
  const at::Tensor x = numbers({0, -0.0, 5e-324, -5e-324, 1e-300, 1.5, -1.5, -3, 1e5, -1e5 - 0.5,
                                1e300, -1e300, kInfinity, -kInfinity, kNaN});
  for (const auto& reference : Registry<quad::QuadReference>::instance().all()) {
    const bool of_elements = reference.operands.size() == 1 && reference.options.empty();
    if (!of_elements || reference.name == "aten::trace") continue;
    const std::string& name = reference.operands[0].name;
    EXPECT_NO_THROW(truth(reference.name, {{name, x}})) << reference.name;
  }
  for (const std::int64_t order : {1, 2, 5}) {
    EXPECT_NO_THROW(truth("aten::polygamma", {{"n", order}, {"self", x}}));
  }
}

TEST(Quad, IsPatientWithFloat64WhichNoOtherOracleJudges) {
  const Call made =
      call("aten::exp", R"({"self": {"shape": [100000], "fill": "normal", "dtype": "float64"}})");
  EXPECT_EQ(quad_oracle().unavailable(made.program, made.inputs), std::nullopt);
}

// A misspelt name would never be asked for.
TEST(Quad, EveryNameIsOneOfTheDispatchers) {
  std::set<std::string> known = {"aten::tanhshrink"};  // a formula, not an operator
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) known.insert(name.name);
  for (const auto& reference : Registry<quad::QuadReference>::instance().all()) {
    EXPECT_TRUE(known.contains(reference.name)) << reference.name;
  }
  for (const auto& [alias, name] : quad::aliases()) {
    EXPECT_TRUE(known.contains("aten::" + std::string(alias))) << alias;
    EXPECT_NE(quad::find_reference("aten::" + std::string(name)), nullptr) << alias;
  }
}

}  // namespace
}  // namespace plumb
