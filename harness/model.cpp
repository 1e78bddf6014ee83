#include "harness/model.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/shape_analysis.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>

#include "harness/argument_type.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/raised.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
namespace jit = torch::jit;

using GraphPtr = std::shared_ptr<jit::Graph>;

void check_file(const ModelSource& source) {
  std::error_code ignored;
  if (fs::is_regular_file(source.file, ignored)) return;
  throw InputError(source.where + ": there is no file '" + source.file + "'");
}

/// A module as it was read, and frozen. Nodes of the frozen graph point to functions of both, which
/// torch asks for their names when an operator raises: whoever has the graph must keep them.
struct Loaded {
  jit::Module read;
  jit::Module frozen;
  GraphPtr graph;  // of the program
};

Loaded loaded(const ModelSource& source) {
  check_file(source);
  try {
    Loaded all;
    all.read = jit::load(source.file, c10::kCPU);
    all.read.eval();
    all.frozen = jit::freeze_module(all.read);
    return all;
  } catch (const std::exception& error) {
    throw InputError(
        source.where + ": '" + source.file +
        "' is no TorchScript archive that can be read and frozen: " + message_of(error));
  }
}

/// Calls `visit` for every node, those inside branches and loops too.
template <typename Visit>
void each_node(jit::Block& block, const Visit& visit) {
  for (jit::Node* node : block.nodes()) {
    for (jit::Block* inner : node->blocks()) each_node(*inner, visit);
    visit(*node);
  }
}

bool is_floating_type(const c10::IValue& value) {
  return value.isInt() && c10::isFloatingType(static_cast<c10::ScalarType>(value.toInt()));
}

/// Floating constants, parameters among them, in another type.
void retype_constants(jit::Graph& graph, c10::ScalarType dtype) {
  each_node(*graph.block(), [&](jit::Node& node) {
    if (node.kind() != c10::prim::Constant) return;
    const auto constant = jit::toIValue(node.output());
    if (!constant || !constant->isTensor() || !constant->toTensor().defined()) return;
    const at::Tensor tensor = constant->toTensor();
    const c10::ScalarType wanted = widened(tensor.scalar_type(), dtype);
    if (wanted == tensor.scalar_type()) return;
    const jit::WithInsertPoint here(&node);
    node.output()->replaceAllUsesWith(graph.insertConstant(tensor.to(wanted)));
  });
}

/// Every floating type that an operator is asked for. A constant may be a size elsewhere, so each
/// use gets one of its own.
void retype_arguments(jit::Graph& graph, c10::ScalarType dtype) {
  each_node(*graph.block(), [&](jit::Node& node) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    for (std::size_t i = 0; schema != nullptr && i < node.inputs().size(); ++i) {
      const auto constant = jit::toIValue(node.input(i));
      if (!constant || !is_floating_type(*constant)) continue;
      if (!takes_dtype(schema->arguments().at(i))) continue;
      const jit::WithInsertPoint here(&node);
      node.replaceInput(i, graph.insertConstant(static_cast<std::int64_t>(dtype)));
    }
  });
}

/// The graph of `forward` with `self` gone and arguments that are not given at their defaults. Puts
/// the inputs in its order.
GraphPtr graph_of(const jit::Module& module, const ModelSource& source, Inputs& inputs) {
  const jit::Method forward = module.get_method("forward");
  GraphPtr graph = forward.graph()->copy();
  const std::vector<c10::Argument>& arguments = forward.function().getSchema().arguments();
  Inputs ordered;
  const jit::WithInsertPoint first(*graph->nodes().begin());
  for (std::size_t i = arguments.size() - 1; i > 0; --i) {  // from behind, as inputs are erased
    const c10::Argument& argument = arguments[i];
    if (inputs.find(argument.name()) != nullptr) continue;
    if (!argument.default_value()) {
      throw InputError(source.where + ": its forward takes '" + argument.name() + "', a " +
                       argument.type()->str() + ", and 'inputs' has none");
    }
    graph->inputs()[i]->replaceAllUsesWith(graph->insertConstant(*argument.default_value()));
    graph->eraseInput(i);
  }
  std::vector<std::string> names;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const c10::Argument& argument = arguments[i];
    names.push_back(argument.name());
    const c10::IValue* value = inputs.find(argument.name());
    if (value == nullptr) continue;
    if (!c10::TensorType::get()->isSubtypeOf(*argument.type())) {
      throw InputError(source.where + ": its forward takes '" + argument.name() + "' as " +
                       argument.type()->str() + "; a case can give tensors alone");
    }
    ordered.set(argument.name(), *value);
  }
  for (const auto& [name, value] : inputs) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw InputError(source.where + ": its forward takes no '" + name + "'" +
                     suggestion(name, names));
  }
  if (graph->inputs()[0]->hasUses()) {
    throw InputError(source.where +
                     ": its forward changes the state of the module, or uses it as "
                     "no constant; a case needs the same answer each time");
  }
  graph->eraseInput(0);
  inputs = ordered;
  return graph;
}

Outputs interpreted(const GraphPtr& graph, const std::string& title, const Inputs& inputs) {
  jit::Stack stack;
  for (const auto& [name, value] : inputs) stack.push_back(value);
  jit::InterpreterState(jit::Code(graph, title)).run(stack);
  return outputs_of(stack);
}

bool draws(jit::Graph& graph) {
  bool found = false;
  each_node(*graph.block(), [&](const jit::Node& node) { found |= node.isNondeterministic(); });
  return found;
}

void append(const c10::IValue& value, Outputs& outputs) {
  if (value.isTensor()) {
    outputs.push_back({"output " + std::to_string(outputs.size()), value.toTensor()});
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) append(item, outputs);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) append(item, outputs);
  } else {
    throw InputError("model: expected tensors as outputs, not a " + value.tagKind());
  }
}

}  // namespace

Outputs outputs_of(const jit::Stack& results) {
  Outputs outputs;
  for (const c10::IValue& value : results) append(value, outputs);
  return outputs;
}

Program torchscript_program(const ModelSource& source, std::optional<c10::ScalarType> dtype,
                            Inputs& inputs) {
  const auto all = std::make_shared<Loaded>(loaded(source));
  all->graph = graph_of(all->frozen, source, inputs);
  const GraphPtr graph(all, all->graph.get());  // keeps the modules
  jit::EraseShapeInformation(graph);            // a recorded type is that of the recording
  if (dtype) retype_constants(*graph, *dtype);
  const auto twins = std::make_shared<std::map<c10::ScalarType, GraphPtr>>();
  const auto widened_twin = [graph, twins](c10::ScalarType wide) {
    GraphPtr& twin = (*twins)[wide];
    if (twin) return twin;
    twin = graph->copy();
    retype_constants(*twin, wide);
    retype_arguments(*twin, wide);
    return twin;
  };
  Traits traits{.promise = Promise::composite, .why = "a model of several operators"};
  traits.random = draws(*graph);
  return {.name = source.title,
          .forward =
              [=](const Inputs& in, Widening widening) {
                return interpreted(widening ? widened_twin(*widening) : graph, source.title, in);
              },
          .traits = std::move(traits),
          .grad = {},
          .cotangent = {},
          .script = graph};
}

Program package_program(const ModelSource& source) {
  check_file(source);
  return {
      .name = source.title,
      .forward = [](const Inputs&, Widening widening) -> Outputs {
        if (widening) {
          throw CannotRun(
              "compiled code has no twin in double; the case needs expect.values or a TorchScript "
              "'reference'");
        }
        throw CannotRun("an AOTInductor package runs in the variant inductor alone");
      },
      .traits = {.promise = Promise::composite, .why = "a model of several operators"},
      .grad = {},
      .cotangent = {},
      .package = source.file};
}

}  // namespace plumb
