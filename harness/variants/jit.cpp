// TorchScript, which torch no longer develops; what was deployed with it is still run.

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/frozen_conv_add_relu_fusion.h>
#include <torch/csrc/jit/passes/frozen_graph_optimizations.h>
#include <torch/csrc/jit/passes/frozen_linear_transpose.h>
#include <torch/csrc/jit/passes/frozen_ops_to_mkldnn.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "harness/graph.hpp"
#include "harness/model.hpp"
#include "harness/trace.hpp"
#include "harness/variant.hpp"
#include "harness/variant_sketch.hpp"

namespace plumb {
namespace {

namespace jit = torch::jit;

/// The profiling executor watches the first run and rewrites the graph for what it saw there; the
/// second compiles that, the third runs it. What is judged is the third.
constexpr int kRuns = 3;

jit::Stack run(jit::GraphExecutor& executor, const Inputs& inputs) {
  jit::Stack stack;
  for (const at::Tensor& tensor : tensors_of(inputs)) stack.emplace_back(tensor);
  executor.run(stack);
  return stack;
}

/// What torch.jit.optimize_for_inference does to a frozen module; what it makes has no gradient.
std::shared_ptr<jit::Graph> optimised_for_inference(jit::Graph& frozen) {
  std::shared_ptr<jit::Graph> graph = frozen.copy();
  jit::OptimizeFrozenGraph(graph);
  jit::FuseFrozenConvAddRelu(graph);
  jit::ConvertFrozenOpsToMKLDNN(graph);
  jit::FrozenLinearTranspose(graph);
  return graph;
}

/// A model with the graph it came with, whose branches are still open.
Program compiled_model(const Program& program) {
  const auto graph =
      program.grad.empty() ? optimised_for_inference(*program.script) : program.script->copy();
  const auto executor = std::make_shared<jit::GraphExecutor>(graph, program.name);
  Program replaced = program;
  replaced.forward = [executor](const Inputs& in, Widening) {
    return outputs_of(run(*executor, in));
  };
  return replaced;
}

/// The same program, run by the graph executor: gradients go through what it makes of them.
Program compiled(const Program& program, const Inputs& inputs) {
  if (program.script) return compiled_model(program);
  const TracedGraph traced = traced_graph(program, private_copy(inputs));
  const auto executor = std::make_shared<jit::GraphExecutor>(traced.graph, program.name);
  Program replaced = program;
  replaced.forward = [traced, executor](const Inputs& in, Widening) {
    return traced.named(run(*executor, in).front());
  };
  return replaced;
}

Prepared prepare(const Program& program, const Inputs& example, c10::Device) {
  return [replaced = compiled(program, example)](const Inputs& inputs) {
    return execute(replaced, inputs);
  };
}

Prepared settled(const Program& program, const Inputs& inputs, c10::Device device) {
  const TracePause pause;
  const Prepared prepared = prepare(program, inputs, device);
  for (int i = 1; i < kRuns; ++i) prepared(private_copy(inputs));
  return prepared;
}

Execution execute_settled(const Program& program, const Inputs& inputs, c10::Device device) {
  return settled(program, inputs, device)(inputs);
}

const Register<Variant> registered{{
    .name = "jit",
    .about = "traced to TorchScript and run by its profiling executor; the third run is judged",
    .unavailable = [](const Program&, c10::Device device) { return device_unavailable(device); },
    .execute = execute_settled,
    .prepare = prepare,
}};

const Register<VariantSketch> sketch{{
    .name = "jit",
    .compiled = "torch.jit.trace(compute, tensors, check_trace=False)",
    .runs = kRuns,
}};

}  // namespace
}  // namespace plumb
