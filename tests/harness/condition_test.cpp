#include "harness/condition.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

using Function = std::function<at::Tensor(const Inputs&)>;

/// S of the program at x, with many probes so that the estimate settles.
at::Tensor sensitivity(const Function& f, const Inputs& inputs, int rounds = 1) {
  const Program program = native_program("f", f);
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  const Truths truths = oracle.evaluate(program, inputs);
  Conditioning conditioning(oracle, program, inputs, truths, 3);
  return conditioning.spread(0, rounds) / kProbeStep;
}

// For y = x^p the answer moves by p·x^p·ξ; the root mean square of ξ, uniform in [-1,1], is 1/√3.
TEST(Conditioning, OfAPowerIsItsExponent) {
  const at::Tensor x = at::linspace(0.5, 3, 4096, at::kDouble);
  for (const double p : {1.0, 2.0, 7.0}) {
    const at::Tensor s = sensitivity([p](const Inputs& in) { return in["x"].pow(p); }, {{"x", x}});
    const double mean = (s / x.pow(p)).square().mean().sqrt().item<double>();
    EXPECT_NEAR(mean, p / std::sqrt(3.0), 0.05 * p);
  }
}

// A difference a - b of independent inputs moves by √(a² + b²)/√3, however small the difference is.
TEST(Conditioning, OfACancellationIsThatOfItsTerms) {
  const at::Tensor a = at::full({4096}, 1.0, at::kDouble);
  const at::Tensor b = at::full({4096}, 1.0 - 1e-9, at::kDouble);
  const at::Tensor s =
      sensitivity([](const Inputs& in) { return in["a"] - in["b"]; }, {{"a", a}, {"b", b}});
  EXPECT_NEAR(s.square().mean().sqrt().item<double>(), std::sqrt(2.0 / 3.0), 0.03);
}

TEST(Conditioning, ZerosAndInfinitiesAreNotMoved) {
  const at::Tensor x = at::tensor({0.0, INFINITY, 2.0}, at::kDouble);
  const at::Tensor s = sensitivity([](const Inputs& in) { return in["x"].clone(); }, {{"x", x}});
  EXPECT_EQ(s[0].item<double>(), 0.0);
  EXPECT_GT(s[2].item<double>(), 0.0);
}

TEST(Conditioning, OneBadElementDoesNotExcuseItsNeighbours) {
  const at::Tensor x = at::tensor({1e12, 1.0}, at::kDouble);
  const at::Tensor s = sensitivity([](const Inputs& in) { return in["x"].square(); }, {{"x", x}});
  EXPECT_LT(s[1].item<double>(), 4.0);
}

TEST(Conditioning, AProbeThatLeavesTheDomainIsRetriedOnTheOtherSide) {
  // acos(1): 1+hξ with ξ > 0 is NaN; only the probes to the left count, and they exist.
  const at::Tensor x = at::ones({64}, at::kDouble);
  const at::Tensor s = sensitivity([](const Inputs& in) { return at::acos(in["x"]); }, {{"x", x}});
  EXPECT_TRUE(s.isfinite().all().item<bool>());
  EXPECT_GT(s.min().item<double>(), 0.0);
}

TEST(Conditioning, AProbeThatRaisesBeyondADomainIsRepeatedWithItsEndsHeld) {
  const Function probabilities = [](const Inputs& in) {
    TORCH_CHECK(in["x"].le(1).all().item<bool>(), "not a probability");
    return in["x"] * 3;
  };
  const at::Tensor x = at::tensor({1.0, 1.0, 1.0, 1.0, 0.5}, at::kDouble);
  const at::Tensor s = sensitivity(probabilities, {{"x", x}});
  EXPECT_EQ(s[0].item<double>(), 0.0);
  EXPECT_NEAR(s[4].item<double>(), 1.5 / std::sqrt(3.0), 0.5);
}

/// S of the gradient of f at x, whose forward pass saves what it computes.
at::Tensor sensitivity_of_gradient(const Function& f, const at::Tensor& x, bool with_saved) {
  Program program = native_program("f", f);
  program.grad = {"x"};
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  const Inputs inputs{{"x", x}};
  const Truths truths = oracle.evaluate(program, inputs);
  Conditioning conditioning(oracle, program, inputs, truths, 3);
  return (with_saved ? conditioning.spread_with_saved(1) : conditioning.spread(1)) / kProbeStep;
}

// A solver may move a small element by as much as a large one: both count in norm.
TEST(Conditioning, InNormMovesEveryElementByTheLargest) {
  Program program = native_program("f", [](const Inputs& in) { return in["x"] * 1; });
  program.traits.normwise = true;
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  at::Tensor x = at::zeros({4096}, at::kDouble);
  x[0] = 100;
  const Inputs inputs{{"x", x}};
  const Truths truths = oracle.evaluate(program, inputs);
  Conditioning conditioning(oracle, program, inputs, truths, 3);
  const at::Tensor s = conditioning.sensitivity(0);
  EXPECT_NEAR(s.square().mean().sqrt().item<double>(), 100 / std::sqrt(3.0), 2);
}

/// The 2-norm of the perturbation of x, over h times the 2-norm of x.
double norm_of_moves(const at::Tensor& x) {
  at::Tensor moved;
  Program program = native_program("f", [&](const Inputs& in) { return moved = in["x"] * 1; });
  program.traits.normwise = true;
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  const Inputs inputs{{"x", x}};
  Conditioning conditioning(oracle, program, inputs, oracle.evaluate(program, inputs), 3);
  conditioning.spread(0, 1);
  const auto norm = [](const at::Tensor& t) { return at::linalg_svdvals(t).max().item<double>(); };
  return norm(moved - x) / kProbeStep / norm(x);
}

// An error of rank one may be as large as the norm allows; independent numbers of the size of the
// elements would move a matrix of ones by 2/sqrt(3n) of its norm only.
TEST(Conditioning, InNormMovesMatricesByTheirNorm) {
  EXPECT_NEAR(norm_of_moves(at::ones({100, 100}, at::kDouble)), 1, 0.15);
  EXPECT_NEAR(norm_of_moves(at::ones({4, 400}, at::kDouble) * 1e30), 1, 0.15);
  at::Tensor one_large = at::ones({50, 50}, at::kDouble);
  one_large[0][0] = 1e6;
  EXPECT_GT(norm_of_moves(one_large), 1);
}

// d(3x)/dx is the cotangent times 3, whatever x is.
TEST(Conditioning, OfAGradientCountsItsCotangent) {
  const at::Tensor x = at::linspace(1, 2, 4096, at::kDouble);
  const at::Tensor s =
      sensitivity_of_gradient([](const Inputs& in) { return in["x"] * 3; }, x, false);
  EXPECT_NEAR(s.square().mean().sqrt().item<double>(), 3 / std::sqrt(3.0), 0.05);
}

// tanh keeps y for its derivative 1 - y², which then moves by 2y² however flat tanh is; exp(-x)
// keeps its result, which the gradient is a multiple of; x itself is exact and not moved again.
TEST(Conditioning, OfACompositeGradientCountsWhatWasSaved) {
  const at::Tensor x = at::full({4096}, 9.0, at::kDouble);
  const auto mean = [&](const Function& f, bool with_saved) {
    return sensitivity_of_gradient(f, x, with_saved).square().mean().sqrt().item<double>();
  };
  const Function tanh = [](const Inputs& in) { return in["x"].tanh(); };
  EXPECT_LT(mean(tanh, false), 1e-5);
  EXPECT_NEAR(mean(tanh, true), 2 / std::sqrt(3.0), 0.05);
  const Function square = [](const Inputs& in) { return in["x"] * in["x"]; };
  EXPECT_EQ(mean(square, true), mean(square, false));
}

// The gradient of softmax is p(g - Σpg): whatever the logits are, equal ones give p = 1/n, and what
// rounding leaves of p is lost in a difference of the size of g/n. Only small logits follow h.
TEST(Conditioning, InputsThatAProbeMovesTooFarAreHeldAsWell) {
  const Function softmax = [](const Inputs& in) { return at::softmax(in["x"], -1); };
  for (const double logit : {0.0, 1.0, 1e10, 1e20}) {
    const at::Tensor x = at::full({64, 14}, logit, at::kDouble);
    const at::Tensor s = sensitivity_of_gradient(softmax, x, true);
    EXPECT_GT(s.square().mean().sqrt().item<double>(), 0.02) << logit;
  }
}

TEST(Conditioning, WhereNoProbeSurvivesThereIsNoS) {
  // Finite at x = 1 alone.
  const Function spike = [](const Inputs& in) {
    return at::where(in["x"] == 1, in["x"], at::full_like(in["x"], NAN));
  };
  EXPECT_TRUE(sensitivity(spike, {{"x", at::ones({4}, at::kDouble)}}).isnan().all().item<bool>());
}

TEST(Conditioning, HugeResultsDoNotOverflowTheSpread) {
  // 1e300·7 moves by 1e292: its square, and S itself, are beyond double.
  const at::Tensor x = at::full({64}, 1e300, at::kDouble);
  const Program program = native_program("f", [](const Inputs& in) { return in["x"] * 7; });
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  const Inputs inputs{{"x", x}};
  const Truths truths = oracle.evaluate(program, inputs);
  Conditioning conditioning(oracle, program, inputs, truths, 3);
  EXPECT_NEAR((conditioning.spread(0) / 7e300).max().item<double>() / kProbeStep, 0.6, 0.4);
}

TEST(Conditioning, RefiningNeverLowersS) {
  const at::Tensor x = at::randn({256}, at::kDouble);
  const Function f = [](const Inputs& in) { return in["x"].exp(); };
  const at::Tensor once = sensitivity(f, {{"x", x}});
  const at::Tensor twice = sensitivity(f, {{"x", x}}, 2);
  EXPECT_TRUE((twice >= once).all().item<bool>());
  EXPECT_FALSE(twice.equal(once));
}

TEST(Conditioning, WhatOneRoundSaysDoesNotDependOnWhoAskedForMore) {
  const Program program = native_program("f", [](const Inputs& in) { return in["x"].exp(); });
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  const Inputs inputs{{"x", at::arange(1, 100, at::kDouble)}};
  const Truths truths = oracle.evaluate(program, inputs);
  Conditioning conditioning(oracle, program, inputs, truths, 3);
  const at::Tensor once = conditioning.spread(0).clone();
  EXPECT_FALSE(conditioning.spread(0, 3).equal(once));
  EXPECT_TRUE(conditioning.spread(0).equal(once));
}

TEST(Conditioning, SameSeedSameS) {
  const at::Tensor x = at::arange(1, 100, at::kDouble);
  const Function f = [](const Inputs& in) { return in["x"].log(); };
  EXPECT_TRUE(sensitivity(f, {{"x", x}}).equal(sensitivity(f, {{"x", x}})));
}

}  // namespace
}  // namespace plumb
