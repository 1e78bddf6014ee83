#include "harness/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "harness/overloads.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

at::Tensor run(const TracedGraph& traced, const std::vector<at::Tensor>& tensors) {
  torch::jit::GraphExecutor executor(traced.graph, "test");
  torch::jit::Stack stack(tensors.begin(), tensors.end());
  executor.run(stack);
  return traced.named(stack.front()).front().tensor;
}

TEST(Graph, ComputesTheProgramOfOtherInputs) {
  const Program program =
      native_program("program", [](const Inputs& in) { return (in["x"].exp() + in["y"]).sum(-1); });
  const TracedGraph traced =
      traced_graph(program, {{"x", at::zeros({2, 3})}, {"y", at::zeros({2, 3})}});
  EXPECT_EQ(traced.outputs, std::vector<std::string>{"output 0"});
  const at::Tensor x = at::full({2, 3}, 1.0);
  const at::Tensor y = at::full({2, 3}, 2.0);
  EXPECT_TRUE(run(traced, {x, y}).equal((x.exp() + y).sum(-1)));
}

TEST(Graph, TensorsInListsAreItsInputsEachOnce) {
  const at::Tensor x = at::ones({2});
  const at::Tensor y = at::full({2}, 2.0);
  const Inputs inputs = {{"tensors", c10::List<at::Tensor>({x, y, x})}, {"dim", 0}};
  EXPECT_EQ(tensors_of(inputs).size(), 2U);
  const Program cat = operator_program(*operator_named("aten::cat"));
  const at::Tensor three = at::full({2}, 3.0);
  EXPECT_TRUE(run(traced_graph(cat, inputs), {three, y}).equal(at::cat({three, y, three})));
}

/// What the graph would read there is whatever the memory holds.
TEST(Graph, MemoryFilledBehindTheTracersBackIsRefused) {
  const Program hidden = native_program("hidden", [](const Inputs& in) {
    return in["x"].index_select(0, at::tensor(at::IntArrayRef{1, 0}, at::kLong));
  });
  try {
    traced_graph(hidden, {{"x", at::ones({2})}});
    FAIL() << "it was recorded";
  } catch (const CannotRun& why) {
    EXPECT_THAT(why.what(), HasSubstr("plumb::constant"));
  }
}

TEST(Graph, AConstantIsOneInIt) {
  const Program turned = native_program("turned", [](const Inputs& in) {
    return in["x"].index_select(0, constant(at::IntArrayRef{1, 0}));
  });
  const TracedGraph traced = traced_graph(turned, {{"x", at::ones({2})}});
  const at::Tensor x = at::arange(2, at::kFloat);
  EXPECT_TRUE(run(traced, {x}).equal(x.flip(0)));
}

TEST(Graph, AnErrorOfTheProgramStaysOne) {
  const Program wrong =
      native_program("wrong", [](const Inputs& in) { return in["x"].mm(in["x"]); });
  EXPECT_THROW(traced_graph(wrong, {{"x", at::ones({2, 3})}}), c10::Error);
  // The tracer is left as it was found.
  EXPECT_NO_THROW(traced_graph(wrong, {{"x", at::ones({2, 2})}}));
}

}  // namespace
}  // namespace plumb
