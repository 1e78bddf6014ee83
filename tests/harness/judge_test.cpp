// The verdict rule by planted bug, by healthy control and by law. Every planted implementation is a
// known wrong one; every control a correct one on a hard problem.

#include "harness/judge.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

using Function = std::function<at::Tensor(const Inputs&)>;

at::Tensor randn(at::IntArrayRef shape, double scale = 1, double offset = 0) {
  static at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(1);
  return at::randn(shape, generator, at::kDouble).mul_(scale).add_(offset);
}

/// Judges `implementation` against fp64 of `truth` on the same rounded inputs.
Judgement judged(const Function& truth, const Function& implementation, const Inputs& inputs,
                 c10::ScalarType dtype, Traits traits = {}) {
  const Inputs rounded = cast(inputs, dtype);
  const Program program = native_program("truth", truth, std::move(traits));
  const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
  const Truths truths = oracle.evaluate(program, rounded);
  Conditioning conditioning(oracle, program, rounded, truths, 7);
  const Output output{"output 0", implementation(private_copy(rounded))};
  const Contract contract = contract_for(dtype, program.traits, rounded, 0);
  const at::Tensor first = rounded.begin()->value.toTensor();
  return judge(output, truths[0], contract,
               {.conditioning = [&] { return &conditioning; }, .first_input = &first});
}

Verdict verdict(const Function& truth, const Function& implementation, const Inputs& inputs,
                c10::ScalarType dtype = at::kFloat) {
  return judged(truth, implementation, inputs, dtype).verdict;
}

const Function softmax = [](const Inputs& in) { return at::softmax(in["x"], -1); };
const Function variance = [](const Inputs& in) { return at::var(in["x"], {-1}, 1, false); };
const Function sum = [](const Inputs& in) { return in["x"].sum(-1); };
const Function mm = [](const Inputs& in) { return at::mm(in["a"], in["b"]); };
const Function layer_norm = [](const Inputs& in) {
  return at::layer_norm(in["x"], {in["x"].size(-1)}, {}, {}, 1e-5);
};

TEST(PlantedBug, NaiveSoftmaxOverflows) {
  const Function naive = [](const Inputs& in) {
    const at::Tensor e = in["x"].exp();
    return e / e.sum(-1, true);
  };
  EXPECT_EQ(verdict(softmax, naive, {{"x", randn({4, 32}, 1, 100)}}), Verdict::nonfinite);
}

TEST(PlantedBug, SoftmaxWithoutTheRescaleOfItsRunningMaximum) {
  const Function blocked = [](const Inputs& in) {  // each half normalised by its own maximum
    const at::Tensor x = in["x"];
    const auto half = x.size(-1) / 2;
    const at::Tensor a = x.narrow(-1, 0, half), b = x.narrow(-1, half, half);
    const at::Tensor e = at::cat({(a - a.amax(-1, true)).exp(), (b - b.amax(-1, true)).exp()}, -1);
    return e / e.sum(-1, true);
  };
  EXPECT_EQ(verdict(softmax, blocked, {{"x", randn({8, 64}, 3)}}), Verdict::unstable);
}

TEST(PlantedBug, OnePassVarianceCancels) {
  const Function one_pass = [](const Inputs& in) {
    const at::Tensor x = in["x"];
    const auto n = static_cast<double>(x.size(-1));
    return ((x * x).sum(-1) - x.sum(-1).square() / n) / (n - 1);
  };
  const Verdict found = verdict(variance, one_pass, {{"x", randn({16, 256}, 1, 2000)}});
  EXPECT_TRUE(found == Verdict::unstable || found == Verdict::flushed) << to_string(found);
}

TEST(PlantedBug, VarianceDividesByNMinusOneInsteadOfN) {
  const Function population = [](const Inputs& in) { return at::var(in["x"], {-1}, 0, false); };
  EXPECT_EQ(verdict(population, variance, {{"x", randn({16, 64})}}), Verdict::unstable);
}

TEST(PlantedBug, LogOfOnePlusX) {
  const Function log1p = [](const Inputs& in) { return at::log1p(in["x"]); };
  const Function naive = [](const Inputs& in) { return at::log(in["x"] + 1); };
  EXPECT_EQ(verdict(log1p, naive, {{"x", randn({64}, 1e-6, 1e-5)}}), Verdict::unstable);
}

TEST(PlantedBug, AccumulatesInHalfPrecision) {
  const Function half_sum = [](const Inputs& in) {
    at::Tensor total = at::zeros({in["x"].size(0)}, in["x"].options());
    for (std::int64_t i = 0; i < in["x"].size(1); ++i) total = total + in["x"].select(1, i);
    return total;
  };
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    EXPECT_EQ(verdict(sum, half_sum, {{"x", randn({8, 512}).abs()}}, dtype), Verdict::unstable);
  }
}

TEST(PlantedBug, DropsTheTailOfTheReduction) {
  const Function dropped = [](const Inputs& in) {
    const auto k = in["a"].size(1) - 1;
    return at::mm(in["a"].narrow(1, 0, k), in["b"].narrow(0, 0, k));
  };
  const Inputs inputs{{"a", randn({32, 65})}, {"b", randn({65, 32})}};
  EXPECT_EQ(verdict(mm, dropped, inputs), Verdict::unstable);
  EXPECT_EQ(verdict(mm, dropped, inputs, at::kBFloat16), Verdict::unstable);
}

TEST(PlantedBug, OneRowIsAnotherRow) {
  const Function swapped = [](const Inputs& in) {
    at::Tensor y = at::mm(in["a"], in["b"]);
    y[3] = y[4].clone();
    return y;
  };
  EXPECT_EQ(verdict(mm, swapped, {{"a", randn({32, 64})}, {"b", randn({64, 32})}}),
            Verdict::unstable);
}

TEST(PlantedBug, ReturnsZeros) {
  const Function zeros = [](const Inputs& in) { return at::zeros_like(in["x"]); };
  EXPECT_EQ(verdict(softmax, zeros, {{"x", randn({4, 32})}}), Verdict::flushed);
}

TEST(PlantedBug, DropsEpsilon) {
  const Function without = [](const Inputs& in) {
    return at::layer_norm(in["x"], {in["x"].size(-1)}, {}, {}, 0);
  };
  EXPECT_EQ(verdict(layer_norm, without, {{"x", randn({8, 64}, 1e-2)}}), Verdict::unstable);
}

TEST(PlantedBug, FlushesSubnormalResultsOfNormalInputs) {
  const Function product = [](const Inputs& in) { return in["x"] * 0x1p-20; };
  const Function flushing = [](const Inputs& in) {
    const at::Tensor y = in["x"] * 0x1p-20;
    return at::where(y.abs() < 1e-30, at::zeros_like(y), y);
  };
  EXPECT_EQ(verdict(product, flushing, {{"x", randn({64}, 1e-25)}}), Verdict::flushed);
}

TEST(PlantedBug, SwallowsNaN) {
  const Function relu = [](const Inputs& in) { return at::relu(in["x"]); };
  const Function swallowing = [](const Inputs& in) {
    return at::where(in["x"] > 0, in["x"], at::zeros_like(in["x"]));
  };
  at::Tensor x = randn({33});
  x[7] = NAN;
  EXPECT_EQ(verdict(relu, swallowing, {{"x", x}}), Verdict::masked);
}

TEST(PlantedBug, LosesInfinity) {
  const Function exp = [](const Inputs& in) { return at::exp(in["x"]); };
  const Function clamped = [](const Inputs& in) { return at::exp(in["x"]).clamp_max(1e30); };
  EXPECT_EQ(verdict(exp, clamped, {{"x", at::tensor({1.0, 200.0}, at::kDouble)}}), Verdict::masked);
}

TEST(HealthyControl, SineOfAMultipleOfPiIsIllConditionedAtWorst) {
  const Function sine = [](const Inputs& in) { return at::sin(in["x"]); };
  for (const double x : {355.0, 1e30}) {
    EXPECT_GE(verdict(sine, sine, {{"x", at::tensor({x, 1.0}, at::kDouble)}}),
              Verdict::ill_conditioned);
  }
}

TEST(HealthyControl, LogGammaNearItsRoot) {
  const Function lgamma = [](const Inputs& in) { return at::lgamma(in["x"]); };
  EXPECT_GE(verdict(lgamma, lgamma, {{"x", at::tensor({-2.4570248, 3.5}, at::kDouble)}}),
            Verdict::ill_conditioned);
}

TEST(HealthyControl, ASumOfConditionTenToTheEighth) {
  const at::Tensor x = randn({4096});
  const at::Tensor cancelling = at::cat({x, -x, at::full({1}, 1e-5, at::kDouble)});
  EXPECT_GE(verdict(sum, sum, {{"x", cancelling}}), Verdict::ill_conditioned);
}

TEST(HealthyControl, TheInverseOfHilbertEight) {
  const at::Tensor i = at::arange(1, 9, at::kDouble);
  const at::Tensor hilbert = 1 / (i.unsqueeze(0) + i.unsqueeze(1) - 1);
  const Function inverse = [](const Inputs& in) { return at::linalg_inv(in["x"]); };
  EXPECT_EQ(verdict(inverse, inverse, {{"x", hilbert}}), Verdict::ill_conditioned);
}

TEST(HealthyControl, LogNearOne) {
  const Function log = [](const Inputs& in) { return at::log(in["x"]); };
  EXPECT_GE(verdict(log, log, {{"x", 1 + randn({64}, 1e-6)}}), Verdict::ill_conditioned);
}

TEST(HealthyControl, ReorderedSumsAndSplitProducts) {
  const Function backwards = [](const Inputs& in) {
    return in["x"].flip(-1).cumsum(-1).select(-1, -1);
  };
  const Function split = [](const Inputs& in) {
    const auto half = in["a"].size(1) / 2;
    return at::mm(in["a"].narrow(1, 0, half), in["b"].narrow(0, 0, half)) +
           at::mm(in["a"].narrow(1, half, half), in["b"].narrow(0, half, half));
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_GE(verdict(sum, backwards, {{"x", randn({4, 1000})}}), Verdict::ill_conditioned);
    EXPECT_GE(verdict(mm, split, {{"a", randn({16, 256})}, {"b", randn({256, 16})}}),
              Verdict::ill_conditioned);
  }
}

TEST(HealthyControl, StockKernelsInHalfPrecision) {
  for (const auto dtype : {at::kHalf, at::kBFloat16, at::kFloat}) {
    EXPECT_GE(verdict(softmax, softmax, {{"x", randn({8, 128}, 2)}}, dtype), Verdict::stable);
    EXPECT_GE(verdict(layer_norm, layer_norm, {{"x", randn({8, 128})}}, dtype),
              Verdict::ill_conditioned);
  }
}

// (a + b - c)·inf, where a + b rounds to c: NaN, or the infinity of the sign of what rounding left.
TEST(HealthyControl, NaNOrAnInfinityThatARoundingDecides) {
  const Function f = [](const Inputs& in) { return ((in["a"] + in["b"]) - in["c"]) * INFINITY; };
  const Function with_float = [](const Inputs& in) {
    return ((in["a"].to(at::kFloat) + in["b"].to(at::kFloat)) - in["c"].to(at::kFloat)) * INFINITY;
  };
  const Inputs lost = {{"a", at::ones({3})}, {"b", at::full({3}, 0x1p-26)}, {"c", at::ones({3})}};
  EXPECT_TRUE(with_float(lost).isnan().all().item<bool>());
  EXPECT_TRUE(f(cast(lost, at::kDouble)).isinf().all().item<bool>());
  EXPECT_EQ(verdict(f, with_float, lost), Verdict::ill_conditioned);
  const Function negated = [&](const Inputs& in) { return with_float(in).nan_to_num(-INFINITY); };
  EXPECT_EQ(verdict(f, negated, lost), Verdict::ill_conditioned);
}

// What no rounding of that size decides stays an alarm.
TEST(PlantedBug, TheWrongInfinityWhereNothingIsInDoubt) {
  const Function f = [](const Inputs& in) { return (in["a"] - in["b"]) * INFINITY; };
  const Inputs clear = {{"a", at::ones({3})}, {"b", at::full({3}, 0.999)}};
  const Function negated = [&](const Inputs& in) { return -f(in); };
  const Function none = [&](const Inputs& in) { return f(in) - INFINITY; };
  const Function finite = [&](const Inputs& in) { return at::zeros_like(f(in)); };
  EXPECT_EQ(verdict(f, negated, clear), Verdict::nonfinite);
  EXPECT_EQ(verdict(f, none, clear), Verdict::nonfinite);
  EXPECT_EQ(verdict(f, finite, clear), Verdict::masked);
  const Function pole = [](const Inputs& in) { return 1 / (in["a"] - in["b"]); };
  const Function beside = [&](const Inputs& in) { return at::full_like(pole(in), 1e15); };
  const Inputs equal = {{"a", at::ones({3})}, {"b", at::ones({3})}};
  EXPECT_EQ(verdict(pole, beside, equal), Verdict::masked);
  EXPECT_EQ(verdict(pole, none, equal), Verdict::nonfinite);
  const Inputs nan = {{"a", at::full({3}, NAN)}, {"b", at::ones({3})}};
  EXPECT_EQ(verdict(f, finite, nan), Verdict::masked);
}

TEST(Judge, OverflowOfTheTruthIsExpected) {
  const Function square = [](const Inputs& in) { return in["x"] * in["x"]; };
  const Inputs inputs{{"x", at::tensor({2.0, 300.0}, at::kDouble)}};
  EXPECT_EQ(verdict(square, square, inputs, at::kHalf), Verdict::overflow);
}

TEST(Judge, WrongShapeOrKindIsAnErrorThatNamesBoth) {
  const Function shorter = [](const Inputs& in) {
    return at::softmax(in["x"], -1).narrow(-1, 0, 3);
  };
  const Judgement found = judged(softmax, shorter, {{"x", randn({4, 32})}}, at::kFloat);
  EXPECT_EQ(found.verdict, Verdict::error);
  EXPECT_NE(found.message.find("float32[4,3]"), std::string::npos) << found.message;
  EXPECT_NE(found.message.find("[4,32]"), std::string::npos) << found.message;
}

TEST(Judge, ZeroSizeOutputsAreExact) {
  EXPECT_EQ(verdict(softmax, softmax, {{"x", randn({0, 8})}}), Verdict::exact);
}

TEST(Judge, ANearMissIsConfirmedBeforeItIsCalledUnstable) {
  // One element, just above the cheap bound by construction: 10 u off.
  const Function identity = [](const Inputs& in) { return in["x"].clone(); };
  const Function off = [](const Inputs& in) { return in["x"] * (1 + 12 * 0x1p-24); };
  const Judgement found = judged(identity, off, {{"x", at::tensor({1.5}, at::kDouble)}}, at::kFloat,
                                 {.reduction = Reduction::pointwise});
  EXPECT_TRUE(found.probed);
  EXPECT_LE(found.verdict, Verdict::stable);
}

TEST(Judge, ATieThatFewProbesDecideAlikeIsConfirmedToo) {
  // Every row selects by scores that tie; one of seven values is huge. In one row of six or so,
  // twelve probes never choose it.
  const at::Tensor values = at::arange(1, 8, at::kDouble).repeat({64, 1});
  values.select(1, 6).fill_(1e30);
  const auto selected = [=](const at::Tensor& scores) {
    return values.gather(1, scores.to(at::kDouble).argmax(1, true)).squeeze(1);
  };
  const Function right = [=](const Inputs& in) { return selected(in["x"]); };
  const Function other_way = [=](const Inputs& in) {
    return values.select(1, 6).to(in["x"].scalar_type());
  };
  const Judgement found =
      judged(right, other_way, {{"x", at::ones({64, 7}, at::kDouble)}}, at::kFloat);
  EXPECT_GE(found.verdict, Verdict::ill_conditioned) << found.distances.r;
}

TEST(Judge, CompositeProgramsReportTheBitsTheyLose) {
  // Both products are rounded to bfloat16 before they are subtracted.
  const Function cross = [](const Inputs& in) { return in["a"] * in["b"] - in["c"] * in["d"]; };
  const Inputs inputs{
      {"a", randn({256})}, {"b", randn({256})}, {"c", randn({256})}, {"d", randn({256})}};
  const Judgement strict = judged(cross, cross, inputs, at::kBFloat16, {.promise = Promise::fused});
  const Judgement lenient =
      judged(cross, cross, inputs, at::kBFloat16, {.promise = Promise::composite});
  EXPECT_EQ(strict.verdict, Verdict::unstable);
  EXPECT_GE(lenient.verdict, Verdict::ill_conditioned);
  ASSERT_TRUE(lenient.lost_bits.has_value());
  EXPECT_GT(*lenient.lost_bits, 0);
}

TEST(Judge, ExactOperatorsMayNotRoundTwice) {
  const Function floor = [](const Inputs& in) { return at::floor(in["x"]); };
  const Function off = [](const Inputs& in) {
    at::Tensor y = at::floor(in["x"]);
    y[0] = y[0] * (1 + 0x1p-23);
    return y;
  };
  const Inputs inputs{{"x", at::tensor({1000.5, 2.5}, at::kDouble)}};
  const Traits exact{.promise = Promise::exact};
  EXPECT_EQ(judged(floor, floor, inputs, at::kFloat, exact).verdict, Verdict::exact);
  EXPECT_EQ(judged(floor, off, inputs, at::kFloat, exact).verdict, Verdict::unstable);
}

TEST(Judge, IntegersAreWrongUnlessAProbeMovesThemToo) {
  const Function clear = [](const Inputs& in) { return in["x"].argmax(-1); };
  const Function wrong = [](const Inputs& in) { return in["x"].argmin(-1); };
  EXPECT_EQ(verdict(clear, clear, {{"x", randn({4, 32})}}), Verdict::exact);
  EXPECT_EQ(verdict(clear, wrong, {{"x", randn({4, 32})}}), Verdict::unstable);
  // A tie broken the other way: probes move the winner, so nobody is wrong.
  const Function last = [](const Inputs& in) {
    return at::full_like(in["x"].argmax(-1), in["x"].size(-1) - 1);
  };
  EXPECT_EQ(verdict(clear, last, {{"x", at::ones({1, 8}, at::kDouble)}}), Verdict::ill_conditioned);
}

TEST(Judge, ComplexErrorsAreJudgedByTheModulus) {
  const Function exp = [](const Inputs& in) { return at::exp(at::complex(in["x"], in["x"])); };
  const Function off = [](const Inputs& in) {
    return at::exp(at::complex(in["x"], in["x"])) * (1 + 1e-3);
  };
  EXPECT_GE(verdict(exp, exp, {{"x", randn({64})}}), Verdict::ill_conditioned);
  EXPECT_EQ(verdict(exp, off, {{"x", randn({64})}}), Verdict::unstable);
}

TEST(Vacuity, AComparisonThatCannotFailIsNoEvidence) {
  // Another order of summation loses the 1. With terms of 1e9 double could tell; with 1e18 zeros,
  // ones and doubled values keep double's bound as well.
  const Function other_order = [](const Inputs& in) {
    const at::Tensor x = in["x"];
    return (x.select(-1, 0) + x.select(-1, 2)) + x.select(-1, 1) + x.select(-1, 3);
  };
  const auto row = [](double size) {
    return Inputs{{"x", at::tensor({size, -size, 1.0, 0.7}, at::kDouble).unsqueeze(0)}};
  };
  EXPECT_EQ(verdict(sum, other_order, row(1e18)), Verdict::vacuous);
  EXPECT_EQ(verdict(sum, other_order, row(1e9)), Verdict::ill_conditioned);
}

}  // namespace
}  // namespace plumb
