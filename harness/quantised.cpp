#include "harness/quantised.hpp"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "harness/graph.hpp"
#include "harness/quantised_site.hpp"
#include "harness/trace.hpp"

namespace plumb {
namespace {

namespace jit = torch::jit;

/// Runs a traced graph node by node, with what the kernel takes over handed to it.
class Interpreter {
 public:
  Interpreter(const TracedGraph& traced, const QuantisedKernel& kernel)
      : graph_(*traced.graph), kernel_(kernel) {}

  /// Returns the tuple that the graph does.
  c10::IValue run(const std::vector<at::Tensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs().at(i)] = inputs[i];
    for (const jit::Node* node : graph_.nodes()) step(*node);
    return value(graph_.outputs().at(0));
  }

  std::vector<Part> parts;
  std::string refusal;  // of the last call that the kernel does not take

 private:
  c10::IValue value(const jit::Value* key) const { return values_.at(key); }

  void step(const jit::Node& node) {
    if (node.kind() == c10::prim::Constant) {
      values_[node.output()] = jit::toIValue(node.output()).value();
      return;
    }
    if (take_over(node)) return;
    jit::Stack stack;
    for (const jit::Value* input : node.inputs()) stack.push_back(value(input));
    if (node.kind() == c10::prim::TupleConstruct) {
      values_[node.output()] = c10::ivalue::Tuple::create(std::move(stack));
    } else if (node.kind() == c10::prim::ListConstruct) {
      c10::impl::GenericList list(
          node.output()->type()->expectRef<c10::ListType>().getElementType());
      for (c10::IValue& item : stack) list.push_back(std::move(item));
      values_[node.output()] = list;
    } else if (node.kind() == c10::prim::ListUnpack) {
      const auto list = stack.front().toListRef();
      for (std::size_t i = 0; i < list.size(); ++i) values_[node.outputs()[i]] = list[i];
    } else {
      node.getOperation()(stack);
      for (std::size_t i = 0; i < stack.size(); ++i) values_[node.outputs()[i]] = stack[i];
    }
  }

  /// False where this call is not one the kernel may take over.
  bool take_over(const jit::Node& node) {
    const GraphCall call(node, values_);
    for (const QuantisedSite& site : Registry<QuantisedSite>::instance().all()) {
      if (!site.covers(call.op())) continue;
      std::string why;
      auto replacement = site.take_over(call, kernel_, why);
      if (!why.empty()) refusal = why;
      if (!replacement) continue;
      if (!parts.empty()) replacement->part.name += " " + std::to_string(parts.size() + 1);
      parts.push_back(std::move(replacement->part));
      values_[node.output()] = replacement->y;
      return true;
    }
    return false;
  }

  const jit::Graph& graph_;
  const QuantisedKernel& kernel_;
  GraphValues values_;
};

std::string nothing_for(const QuantisedKernel& kernel) {
  return kernel.convolve
             ? "it has no linear, mm, addmm, matmul or convolution with a constant weight to "
               "quantise"
             : "it has no linear, mm, addmm or matmul with a constant matrix to quantise";
}

Execution run_quantised(const QuantisedKernel& kernel, const TracedGraph& traced,
                        const Inputs& inputs) {
  const at::NoGradGuard no_grad;
  Interpreter interpreter(traced, kernel);
  Execution execution = traced.named(interpreter.run(tensors_of(inputs)));
  if (interpreter.parts.empty()) {
    throw CannotRun(interpreter.refusal.empty() ? nothing_for(kernel) : interpreter.refusal);
  }
  execution.parts = std::move(interpreter.parts);
  return execution;
}

/// The graph is recorded once; weights may be other ones at each run.
Prepared prepare(const QuantisedKernel& kernel, const Program& program, const Inputs& example) {
  const TracePause pause;
  const at::NoGradGuard no_grad;
  return [kernel, traced = traced_graph(program, private_copy(example))](const Inputs& inputs) {
    return run_quantised(kernel, traced, inputs);
  };
}

}  // namespace

Variant quantised_variant(const QuantisedKernel& kernel) {
  return {.name = kernel.name,
          .about = kernel.about,
          .unavailable = [kernel](const Program& program,
                                  c10::Device device) -> std::optional<std::string> {
            if (auto why = device_unavailable(device)) return why;
            if (!device.is_cpu() && !kernel.runs_on_cuda) {
              return kernel.name + " runs on the CPU alone";
            }
            if (!program.grad.empty()) return "quantised kernels have no gradient";
            return device.is_cpu() && kernel.unavailable ? kernel.unavailable() : std::nullopt;
          },
          .execute = [kernel](const Program& program, const Inputs& inputs,
                              c10::Device) { return prepare(kernel, program, inputs)(inputs); },
          .prepare = [kernel](const Program& program, const Inputs& example,
                              c10::Device) { return prepare(kernel, program, example); }};
}

}  // namespace plumb
