#include "harness/graph.hpp"

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include "harness/raised.hpp"
#include "harness/variant.hpp"

namespace plumb {

namespace jit = torch::jit;

namespace {

bool writes(const jit::Use& use) {
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  if (schema == nullptr) return false;
  const c10::AliasInfo* alias = schema->arguments().at(use.offset).alias_info();
  return alias != nullptr && alias->isWrite();
}

/// Memory that is taken and never written to in the graph was filled by code that the tracer does
/// not see; running the graph would read whatever lies there.
void refuse_memory_filled_unseen(const jit::Graph& graph) {
  for (const jit::Node* node : graph.nodes()) {
    if (!std::string_view(node->kind().toQualString()).starts_with("aten::empty")) continue;
    const jit::use_list& uses = node->output()->uses();
    if (uses.empty() || std::any_of(uses.begin(), uses.end(), writes)) continue;
    throw CannotRun(
        "it fills a tensor without an operator, as at::tensor does, and a recorded graph cannot "
        "show that; plumb::constant makes one that it can");
  }
}

}  // namespace

Outputs TracedGraph::named(const std::vector<at::Tensor>& tensors) const {
  Outputs named;
  for (std::size_t i = 0; i < outputs.size(); ++i) named.push_back({outputs[i], tensors.at(i)});
  return named;
}

Outputs TracedGraph::named(const c10::IValue& tuple) const {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& item : tuple.toTupleRef().elements()) tensors.push_back(item.toTensor());
  return named(tensors);
}

at::Tensor constant(at::IntArrayRef values) {
  const at::tracer::impl::NoTracerDispatchMode untraced;
  return at::tensor(values, at::kLong);
}

std::vector<at::Tensor> tensors_of(const Inputs& inputs) {
  std::vector<at::Tensor> tensors;
  inputs.each([&](const std::string&, const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

Inputs with_tensors(const Inputs& inputs, const std::vector<at::Tensor>& tensors) {
  std::size_t next = 0;
  return inputs.map(
      [&](const std::string&, const at::Tensor&) -> at::Tensor { return tensors.at(next++); });
}

TracedGraph traced_graph(const Program& program, const Inputs& inputs) {
  TracedGraph traced;
  jit::Stack stack;
  for (const at::Tensor& tensor : tensors_of(inputs)) stack.emplace_back(tensor);
  const auto forward = [&](const jit::Stack& given) -> jit::Stack {
    std::vector<at::Tensor> tensors;
    for (const c10::IValue& value : given) tensors.push_back(value.toTensor());
    std::vector<c10::IValue> results;
    for (const Output& output : program.forward(with_tensors(inputs, tensors), std::nullopt)) {
      traced.outputs.push_back(output.name);
      results.emplace_back(output.tensor);
    }
    return {c10::ivalue::Tuple::create(std::move(results))};
  };
  const auto no_name = [](const at::Tensor&) { return std::string(); };
  jit::tracer::setWarn([](const std::string&) {});  // what is fixed is fixed for these inputs
  try {
    traced.graph = jit::tracer::trace(std::move(stack), forward, no_name).first->graph;
  } catch (const std::exception& error) {
    jit::tracer::abandon();
    program.forward(private_copy(inputs), std::nullopt);  // an error of its own stays one
    throw CannotRun("torch's tracer cannot record it: " + message_of(error));
  }
  refuse_memory_filled_unseen(*traced.graph);
  return traced;
}

}  // namespace plumb
