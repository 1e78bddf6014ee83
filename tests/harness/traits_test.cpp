#include "harness/traits.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/run.hpp"

namespace plumb {
namespace {

const Inputs inputs{{"self", at::zeros({3, 40, 5})}};

std::int64_t n_of(const char* op) { return reduction_length(traits_of(op), inputs); }

TEST(Traits, TheReductionLengthFollowsTheKindOfOperator) {
  EXPECT_EQ(n_of("aten::exp"), 1);               // pointwise by the dispatcher's own tag
  EXPECT_EQ(n_of("aten::sum"), 600);             // everything
  EXPECT_EQ(n_of("aten::softmax.int"), 40);      // the longest dimension
  EXPECT_EQ(n_of("aten::linalg_svdvals"), 600);  // reflections one after another, each of sums
}

TEST(Traits, ASumOverSomeDimensionsIsAsLongAsTheirProduct) {
  const auto n = [](c10::IValue dim) {
    return reduction_length(traits_of("aten::sum.dim_IntList"),
                            {{"self", inputs["self"]}, {"dim", std::move(dim)}});
  };
  EXPECT_EQ(n(std::vector<std::int64_t>{2}), 5);
  EXPECT_EQ(n(std::vector<std::int64_t>{0, -1}), 15);
  EXPECT_EQ(n(std::vector<std::int64_t>{}), 600);
  EXPECT_EQ(n(c10::IValue()), 600);
  EXPECT_EQ(n(std::vector<std::int64_t>{7}), 600);  // torch refuses it later
}

TEST(Traits, OverloadsAndInPlaceFormsShareTheRow) {
  EXPECT_EQ(traits_of("aten::floor").promise, Promise::exact);
  EXPECT_EQ(traits_of("aten::floor_").promise, Promise::exact);
  EXPECT_EQ(traits_of("aten::fmod.Scalar").promise, Promise::exact);
  EXPECT_EQ(traits_of("aten::cross").promise, Promise::composite);
  EXPECT_EQ(traits_of("aten::exp").promise, Promise::fused);
}

TEST(Traits, CompositePromisesGiveTheirReason) {
  EXPECT_FALSE(traits_of("aten::scaled_dot_product_attention").why.empty());
  EXPECT_FALSE(traits_of("aten::cov").why.empty());
}

TEST(Traits, WrappersViewsAndCopiesOfAPathRoundNothing) {
  EXPECT_EQ(rounding_steps({"aten::softmax", "aten::_softmax"}), 1u);
  EXPECT_EQ(rounding_steps({"aten::layer_norm", "aten::native_layer_norm", "aten::empty"}), 1u);
  EXPECT_EQ(rounding_steps({"aten::linear", "aten::t", "aten::transpose", "aten::addmm"}), 1u);
  EXPECT_EQ(rounding_steps({"aten::linear", "aten::addmm", "aten::tanh"}), 2u);
  EXPECT_EQ(rounding_steps({"aten::poisson_nll_loss", "aten::exp", "aten::mul", "aten::sub"}), 3u);
  EXPECT_LE(rounding_steps({"aten::conv2d", "aten::convolution", "aten::_convolution",
                            "aten::mkldnn_convolution"}),
            1u);
  EXPECT_EQ(rounding_steps({"aten::to", "aten::_to_copy", "aten::copy_"}), 0u);
}

TEST(Traits, RandomOperatorsAreKnownFromTheDispatcher) {
  EXPECT_TRUE(traits_of("aten::bernoulli").random);
  EXPECT_FALSE(traits_of("aten::exp").random);
}

TEST(Traits, TheTensorsOfAListCountForWhatASumTakes) {
  Traits whole{.reduction = Reduction::whole};
  c10::List<at::Tensor> list;
  list.push_back(at::ones({3, 5}));
  list.push_back(at::ones({3, 50}));
  EXPECT_EQ(reduction_length(whole, {{"tensors", list}, {"dim", 1}}), 50);
}

/// The fifth output is 1 - 2 cos(π/2)·2^24: of the large element nothing but its rounding.
Subject transform_with_one_large_element(double factor) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::fft_irfft", "");
  Program program = operator_program(op);
  program.forward = [factor, stock = program.forward](const Inputs& in, Widening widening) {
    Outputs outputs = stock(in, widening);
    if (!widening) outputs[0].tensor.mul_(factor);
    return outputs;
  };
  at::Tensor x = at::zeros({21}, at::kComplexFloat);
  x[18] = 16777216;
  x[20] = 1;
  return {program, {{"self", x}}, at::kFloat, {}};
}

TEST(Traits, ATransformIsStableInNorm) {
  const Result stock = evaluate(transform_with_one_large_element(1), {}).result;
  EXPECT_GE(stock.verdict, Verdict::ill_conditioned) << stock.message;
  EXPECT_EQ(evaluate(transform_with_one_large_element(1.001), {}).result.verdict,
            Verdict::unstable);
}

}  // namespace
}  // namespace plumb
