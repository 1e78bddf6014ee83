// The pipeline as a whole: verdicts that need more than one execution.

#include "harness/run.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "harness/relation.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

Subject subject(std::function<at::Tensor(const Inputs&)> f, at::Tensor x,
                Traits traits = {.promise = Promise::fused}) {
  const c10::ScalarType dtype = x.scalar_type();
  return {
      native_program("program", std::move(f), std::move(traits)), {{"x", std::move(x)}}, dtype, {}};
}

at::Tensor ramp() { return at::arange(1, 65, at::kFloat) / 7; }

// Variants and relations planted for this test program only.
Outputs scaled(const Program& program, const Inputs& inputs, double factor) {
  Outputs outputs = execute(program, inputs);
  for (Output& output : outputs) output.tensor = output.tensor * factor;
  return outputs;
}

const Register<Variant> off_by_a_thousandth{{
    .name = "test-off",
    .about = "planted: 0.1 % off",
    .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
    .execute = [](const Program& p, const Inputs& in, c10::Device) { return scaled(p, in, 1.001); },
}};

const Register<Variant> copy_of_eager{{
    .name = "test-copy",
    .about = "planted: what eager does",
    .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
    .execute = [](const Program& p, const Inputs& in, c10::Device) { return execute(p, in); },
}};

const Register<Variant> never_here{{
    .name = "test-never",
    .about = "planted: never available",
    .unavailable = [](const Program&, c10::Device) -> std::optional<std::string> {
      return "there is no such machine";
    },
    .execute = [](const Program&, const Inputs&, c10::Device) { return Outputs{}; },
}};

const Register<Variant> different_each_time{{
    .name = "test-flaky",
    .about = "planted: the last bit depends on the run",
    .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
    .execute =
        [](const Program& p, const Inputs& in, c10::Device) {
          static int run = 0;
          return scaled(p, in, 1 + (++run % 2) * 0x1p-23);
        },
}};

const Register<Relation> never_holds{{
    .name = "test-doubled",
    .about = "planted: twice the answer",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      return scaled(asked.program, asked.inputs, 2);
    },
    .usual = false,
}};

Result run(const Subject& s, Settings settings) { return evaluate(s, settings).result; }

const auto exp_of = [](const Inputs& in) { return in["x"].exp(); };
/// Wrong in float by a formula that is right in double: cancels 1e8 away.
const auto cancels = [](const Inputs& in) { return (in["x"] + 1e6) - 1e6; };

TEST(Run, EagerExpIsStable) {
  const Result result = run(subject(exp_of, ramp()), {});
  EXPECT_GE(result.verdict, Verdict::stable);
  EXPECT_EQ(result.oracle, "fp64");
  EXPECT_EQ(result.r, result.r_eager);
  EXPECT_EQ(result.path, std::vector<std::string>{"aten::exp"});
}

TEST(Run, AVariantThatIsOffIsUnstableBesideASoundEager) {
  const Result result = run(subject(exp_of, ramp()), {.variant = "test-off"});
  EXPECT_EQ(result.verdict, Verdict::unstable);
  EXPECT_LE(*result.r_eager, 1);
  EXPECT_GT(*result.r, 1);
}

TEST(Run, EagerIsNeverInconclusiveButItsCopyIs) {
  const Subject s = subject(cancels, ramp());
  EXPECT_EQ(run(s, {}).verdict, Verdict::unstable);
  EXPECT_EQ(run(s, {.variant = "test-copy"}).verdict, Verdict::inconclusive);
}

TEST(Run, AnUnavailableVariantIsSkippedWithTheReason) {
  const Result result = run(subject(exp_of, ramp()), {.variant = "test-never"});
  EXPECT_EQ(result.verdict, Verdict::skipped);
  EXPECT_EQ(result.message, "there is no such machine");
}

TEST(Run, RunsThatDifferInBitsAreNondeterministic) {
  const Subject s = subject(exp_of, ramp());
  EXPECT_EQ(run(s, {.variant = "test-flaky", .repeat = 2}).verdict, Verdict::nondeterministic);
  EXPECT_GE(run(s, {.repeat = 5}).verdict, Verdict::stable);
}

TEST(Run, ABrokenRelationIsNamed) {
  const Result result = run(subject(exp_of, ramp()), {.relations = {"test-doubled"}});
  EXPECT_EQ(result.verdict, Verdict::relation_broken);
  EXPECT_NE(result.message.find("test-doubled"), std::string::npos);
}

TEST(Run, TheStockRelationsHoldForStockOperators) {
  const Result result = run(subject(exp_of, ramp()), {.relations = {"layout", "threads"}});
  EXPECT_GE(result.verdict, Verdict::stable) << result.message;
}

TEST(Run, AnotherPathIsAFallback) {
  const Subject s = subject(exp_of, ramp());
  EXPECT_EQ(run(s, {.intended_path = {"aten::expm1"}}).verdict, Verdict::fallback);
  EXPECT_GE(run(s, {.intended_path = {"aten::exp", "!aten::log"}}).verdict, Verdict::stable);
}

TEST(Run, WhatTorchRaisesIsAnErrorWithItsMessage) {
  const auto f = [](const Inputs& in) { return at::mm(in["x"], in["x"]); };
  const Result result = run(subject(f, ramp()), {});
  EXPECT_EQ(result.verdict, Verdict::error);
  EXPECT_FALSE(result.message.empty());
}

TEST(Run, DoubleWithoutQuadIsUnsupported) {
  const Result result = run(subject(exp_of, ramp().to(at::kDouble)), {});
  EXPECT_EQ(result.verdict, Verdict::unsupported);
  EXPECT_EQ(result.message, "no oracle wider than f64");
}

TEST(Run, TheFp32OracleJudgesHalfTypesOnly) {
  EXPECT_GE(run(subject(exp_of, ramp().to(at::kHalf)), {.oracle = "fp32"}).verdict,
            Verdict::overflow);
  EXPECT_EQ(run(subject(exp_of, ramp()), {.oracle = "fp32"}).verdict, Verdict::unsupported);
}

TEST(Run, ASecondOpinionFindsTheOracleWeak) {
  // gelu in double loses its tail (1 + erf cancels): fp64 is wrong by 100 % at -9, and quad knows.
  const auto gelu = c10::Dispatcher::singleton().findSchemaOrThrow("aten::gelu", "");
  const Subject s{
      operator_program(gelu), {{"self", at::full({4}, -9.0, at::kFloat)}}, at::kFloat, {}};
  const Result weak = run(s, {.oracle = "fp64"});
  const Result decided = run(s, {.oracle = "quad"});
  EXPECT_TRUE(weak.verdict == Verdict::oracle_weak || weak.verdict == Verdict::exact)
      << to_string(weak.verdict);
  EXPECT_EQ(decided.verdict, Verdict::flushed);
}

Subject call(const char* op, const char* overload, Inputs inputs) {
  const c10::ScalarType dtype = inputs.begin()->value.toTensor().scalar_type();
  return {operator_program(c10::Dispatcher::singleton().findSchemaOrThrow(op, overload)),
          std::move(inputs),
          dtype,
          {}};
}

TEST(Run, WhatDrawsRandomNumbersHasNoRightValue) {
  const auto dropout = [](bool train) {
    return run(call("aten::dropout", "", {{"input", ramp()}, {"p", 0.5}, {"train", train}}), {});
  };
  EXPECT_EQ(dropout(true).verdict, Verdict::unsupported);
  EXPECT_NE(dropout(true).message.find("random"), std::string::npos);
  EXPECT_EQ(dropout(false).verdict, Verdict::exact);
}

// The backward pass forms cotangent minus weighted mean of cotangents: with ones the gradient is 0
// whatever x is, and what is left is the rounding of that difference and of the saved softmax.
TEST(Run, AGradientThatCancelsIsAsUncertainAsItsCotangent) {
  const at::Tensor x = at::arange(0, 256, at::kFloat).sin().mul(12).view({4, 64});
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    Subject softmax = call("aten::softmax", "int", {{"self", x.to(dtype)}, {"dim", 1}});
    softmax.program.grad = {"self"};
    const Result result = run(softmax, {});
    EXPECT_GE(result.verdict, Verdict::ill_conditioned) << result.message;
  }
}

// y = tanh(x) is kept in bfloat16, so that 1 - y² loses what y lost: by design, not a fault.
TEST(Run, GradientsMayUseWhatTheForwardPassRounded) {
  const at::Tensor x = at::arange(1, 65, at::kFloat).div(64).to(at::kBFloat16);
  Subject tanh = call("aten::tanh", "", {{"self", x}});
  tanh.program.grad = {"self"};
  const Result result = run(tanh, {});
  EXPECT_EQ(result.verdict, Verdict::stable) << result.message;
  EXPECT_GT(result.lost_bits.value_or(0), 0);
  EXPECT_EQ(run(tanh, {.contract = Promise::fused}).verdict, Verdict::unstable);
}

TEST(Run, WhatHasNoUniqueAnswerIsNotHeldAgainstOne) {
  const at::Tensor a = at::eye(3, at::kFloat) + 0.1;
  EXPECT_EQ(run(call("aten::linalg_eigh", "", {{"self", a}}), {}).verdict, Verdict::unsupported);
  EXPECT_EQ(run(call("aten::nextafter", "", {{"self", a}, {"other", a + 1}}), {}).verdict,
            Verdict::unsupported);
  EXPECT_GE(run(call("aten::linalg_eigvalsh", "", {{"self", a}}), {}).verdict,
            Verdict::ill_conditioned);
}

TEST(Run, AGradientWithoutMemoryIsZero) {
  Subject sgn = call("aten::sgn", "", {{"self", ramp()}});
  sgn.program.grad = {"self"};
  EXPECT_GE(run(sgn, {}).verdict, Verdict::stable);
}

// The gradient of a weight sums over batch and positions, of which no dimension is that long.
TEST(Run, TheGradientOfAWeightIsASumOverAllThatItTookPartIn) {
  const at::Tensor x = at::arange(0, 24480, at::kFloat).sin().add(1).view({2, 4, 5, 36, 17});
  const at::Tensor weight = at::arange(0, 48, at::kFloat).cos().view({3, 4, 2, 2, 1});
  Subject conv = call("aten::conv3d", "", {{"input", x}, {"weight", weight}});
  conv.program.grad = {"weight"};
  const Result result = run(conv, {});
  EXPECT_GE(result.verdict, Verdict::ill_conditioned) << result.message;
}

// The same numbers by one operator or by the steps it is made of must get the same verdict.
TEST(Run, WhatIsMadeOfSeveralOperatorsRoundsAfterEach) {
  const auto normalised = [](const Inputs& in) { return in["x"] / in["x"].square().mean().sqrt(); };
  EXPECT_GE(run(subject(normalised, ramp().to(at::kHalf)), {}).verdict, Verdict::stable);
  const at::Tensor x = at::arange(0, 96, at::kFloat).sin().view({3, 32}).to(at::kBFloat16);
  const at::Tensor h = x.narrow(1, 0, 8), w = x.view({-1}).narrow(0, 0, 64).view({8, 8});
  const Inputs inputs{{"input", x},
                      {"hx", h},
                      {"w_ih", x.t().narrow(0, 0, 8).repeat({1, 11}).narrow(1, 0, 32)},
                      {"w_hh", w}};
  const Result cell = run(call("aten::rnn_tanh_cell", "", inputs), {});
  EXPECT_GE(cell.verdict, Verdict::ill_conditioned) << cell.message;
}

TEST(Run, WhatTorchHasNoKernelForIsUnsupportedUnlessExpected) {
  const Subject cdist =
      call("aten::cdist", "",
           {{"x1", at::ones({2, 3}, at::kHalf)}, {"x2", at::ones({2, 3}, at::kHalf)}});
  const Result result = run(cdist, {});
  EXPECT_EQ(result.verdict, Verdict::unsupported);
  EXPECT_NE(result.message.find("not implemented"), std::string::npos);
  Expectation error;
  error.verdicts = {"error"};
  EXPECT_EQ(evaluate(cdist, {}, &error).result.verdict, Verdict::error);
}

TEST(Run, MemoryThatNobodyWroteHasNoRightValue) {
  EXPECT_EQ(run(call("aten::empty_like", "", {{"self", ramp()}}), {}).verdict,
            Verdict::unsupported);
}

// One value in a million places: some place draws six small xi, and its S comes out ten times too
// low. An error of two thirds of the bound must not be an alarm there.
TEST(Run, AVerdictDoesNotDependOnHowOftenAValueStands) {
  const auto nearly = [](const Inputs& in) {
    const at::Tensor y = in["x"] - 1;
    return in["x"].scalar_type() == at::kFloat ? y + 3 * 0x1p-24 : y;
  };
  for (const std::int64_t n : {1, 1'000'000}) {
    const Traits pointwise{.promise = Promise::fused, .reduction = Reduction::pointwise};
    const Result result =
        run(subject(nearly, at::full({n}, 1.0001F), pointwise), {.contract = Promise::fused});
    EXPECT_EQ(result.verdict, Verdict::stable) << n << ": r " << result.r.value_or(0);
  }
}

// Its default epsilon is that of float, not that of the double the oracle computes in.
TEST(Run, AnEpsilonLeftToTheTypeIsThatOfTheProgram) {
  const at::Tensor x = at::full({8}, 1e-4, at::kFloat);
  const std::vector<std::int64_t> shape{8};
  const Inputs inputs{{"input", x}, {"normalized_shape", shape}};
  EXPECT_GE(run(call("aten::rms_norm", "", inputs), {}).verdict, Verdict::stable);
}

// |z| is a root of a sum and its gradient a quotient: one rounding each at least. Of reals |x| is
// exact.
TEST(Run, TheAbsoluteValueIsExactOfRealsOnly) {
  const at::Tensor z =
      at::complex(at::tensor({231746670.0F, -9.7486925F}), at::tensor({750.4463F, 14.2766075F}));
  Subject abs = call("aten::abs", "", {{"self", z}});
  abs.program.grad = {"self"};
  EXPECT_EQ(run(abs, {}).verdict, Verdict::stable);
  EXPECT_EQ(run(call("aten::abs", "", {{"self", ramp()}}), {}).verdict, Verdict::exact);
}

// LU keeps factors of size 1 and of the size of the input in one matrix: moved in norm, the small
// one would be noise, and every gradient of a small matrix ill-conditioned.
TEST(Run, TheGradientOfASolverOfSmallMatricesIsHeldToItsDigits) {
  const at::Tensor a = (at::eye(4, at::kFloat) * 3 + at::ones({4, 4})) * 1e-11F;
  Subject solve = call("aten::linalg_solve", "", {{"A", a}, {"B", at::arange(1, 5, at::kFloat)}});
  solve.program.grad = {"A", "B"};
  const Result result = run(solve, {});
  EXPECT_GE(result.verdict, Verdict::stable) << result.message;
}

// What a bag keeps for its backward pass depends on the path that summed it: offset2bag is empty on
// the fast one.
TEST(Run, WhatABagKeepsForItselfIsNotItsAnswer) {
  const auto bag_of = [](const at::Tensor& weight) {
    return call("aten::embedding_bag", "",
                {{"weight", weight},
                 {"indices", at::tensor({1, 0, 1}, at::kLong)},
                 {"offsets", at::tensor({0, 2}, at::kLong)}});
  };
  const at::Tensor weight = at::arange(0, 16, at::kFloat).view({2, 8});
  const Result result = run(bag_of(weight), {.relations = {"layout"}});
  EXPECT_EQ(result.verdict, Verdict::exact) << result.message;
}

// Singular in float and not in double: the solver says so, and no answer in float has a digit.
TEST(Run, WhatASolverCallsSingularHasNoAnswerWhereNoDigitIsSure) {
  const at::Tensor a = at::tensor({1.0F, 6e-14F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F});
  const Result nearly =
      run(call("aten::linalg_solve_ex", "", {{"A", a.view({3, 3})}, {"B", at::ones({3})}}), {});
  EXPECT_EQ(nearly.verdict, Verdict::ill_conditioned) << nearly.message;
  EXPECT_NE(nearly.message.find("status"), std::string::npos);
  const Result sound = run(
      call("aten::linalg_solve_ex", "", {{"A", at::eye(3, at::kFloat)}, {"B", at::ones({3})}}), {});
  EXPECT_EQ(sound.verdict, Verdict::exact) << sound.message;
}

// Backward stable means an error of a few roundoffs of the norm, 100 here, though no element
// exceeds 1.0000005.
TEST(Run, SingularAndEigenvaluesAreRightInTermsOfTheNorm) {
  at::Tensor a = at::ones({100, 100}, at::kFloat);
  a[1][0] = 1.0000005F;
  for (const auto& [op, name] :
       {std::pair{"aten::linalg_eigvalsh", "self"}, std::pair{"aten::linalg_svdvals", "A"}}) {
    const Result result = run(call(op, "", {{name, a}}), {});
    EXPECT_GE(result.verdict, Verdict::ill_conditioned) << op << ": r " << result.r.value_or(0);
  }
}

// V diag(cotangent) V^T: vectors are saved that are right in norm only, so that its zeros are too.
TEST(Run, TheGradientOfEigenvaluesIsAsRightAsItsVectorsAre) {
  const at::Tensor a =
      at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 16777216.0F, 1.0F, 0.0F}).view({3, 3});
  Subject values = call("aten::linalg_eigvalsh", "", {{"self", a}});
  values.program.grad = {"self"};
  const Result result = run(values, {});
  EXPECT_GE(result.verdict, Verdict::ill_conditioned) << result.message;
}

TEST(Run, InputsOfTheCallerAreNeverWrittenTo) {
  const at::Tensor x = ramp();
  const at::Tensor before = x.clone();
  run(subject([](const Inputs& in) { return in["x"].mul_(2); }, x), {.repeat = 2});
  EXPECT_TRUE(x.equal(before));
}

}  // namespace
}  // namespace plumb
