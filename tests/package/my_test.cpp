#include <ATen/ATen.h>

#include "harness/matcher.hpp"

namespace {

at::Tensor softmax(const plumb::Inputs& in) { return at::softmax(in["x"], -1); }

at::Tensor logits() {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
  return at::randn({4, 64}, generator, at::kFloat).mul_(20);
}

TEST(Mine, StockSoftmaxMatches) {
  const at::Tensor x = logits();
  EXPECT_THAT(at::softmax(x, -1), plumb::Matches({softmax, {{"x", x}}}));
}

TEST(Mine,
     DISABLED_NaiveSoftmaxDoesNot) {  // run by the test of this project, which reads its output
  const at::Tensor x = logits().mul(20);
  EXPECT_THAT(x.exp() / x.exp().sum(-1, true), plumb::Matches({softmax, {{"x", x}}}));
}

}  // namespace
