#include "harness/quantised.hpp"

#include <unordered_map>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "harness/graph.hpp"
#include "harness/overloads.hpp"
#include "harness/trace.hpp"

namespace plumb {
namespace {

namespace jit = torch::jit;

/// Views that leave a matrix the matrix it was, or its transpose.
bool is_view_of_matrix(const jit::Node& node) {
  static const char* const names[] = {"aten::t",          "aten::transpose", "aten::numpy_T",
                                      "aten::contiguous", "aten::detach",    "aten::to",
                                      "aten::alias"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* name) {
    return node.kind().toQualString() == std::string_view(name);
  });
}

/// Where the matrix comes from; null if the program computes it.
const jit::Value* given_matrix(const jit::Value* value) {
  while (is_view_of_matrix(*value->node())) value = value->node()->input(0);
  const bool given =
      value->node()->kind() == c10::prim::Param || value->node()->kind() == c10::prim::Constant;
  return given ? value : nullptr;
}

/// A product in the graph: places of its operands among the node's inputs.
struct Site {
  std::size_t x;
  std::size_t weight;
  std::optional<std::size_t> bias;
  bool transposed;  // the weight is [k,n]
};

std::optional<Site> product_of(const jit::Node& node) {
  const std::string_view kind = node.kind().toQualString();
  if (kind == "aten::linear") return Site{0, 1, 2, false};
  if (kind == "aten::mm" || kind == "aten::matmul") return Site{0, 1, std::nullopt, true};
  if (kind == "aten::addmm") return Site{1, 2, 0, true};
  return std::nullopt;
}

/// The product that a kernel promises. Where x and w move by relative xi uniform in [-1,1] each, of
/// variance 1/3, the sum of x·w moves by sqrt(2/3 · Σ(x·w)²) in root mean square.
Program product_program(const std::function<at::Tensor()>& weight_terms) {
  Program linear = operator_program(*operator_named("aten::linear"));
  linear.sensitivity = [weight_terms](const Inputs& in) {
    const at::Tensor weight = weight_terms ? weight_terms() : in["weight"];
    at::Tensor squares = at::linear(in["input"].square(), weight.square()) * 2;
    if (in.find("bias") != nullptr) squares = squares + in["bias"].square();
    return std::vector<at::Tensor>{(squares / 3).sqrt()};
  };
  return linear;
}

/// Runs a traced graph node by node, with products handed to the kernel.
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
  std::string refusal;  // of the last product that the kernel does not take

 private:
  c10::IValue value(const jit::Value* key) const { return values_.at(key); }

  void step(const jit::Node& node) {
    if (node.kind() == c10::prim::Constant) {
      values_[node.output()] = jit::toIValue(node.output()).value();
      return;
    }
    const auto site = product_of(node);
    if (site && multiply(node, *site)) return;
    jit::Stack stack;
    for (const jit::Value* input : node.inputs()) stack.push_back(value(input));
    if (node.kind() == c10::prim::TupleConstruct) {
      values_[node.output()] = c10::ivalue::Tuple::create(std::move(stack));
    } else if (node.kind() == c10::prim::ListConstruct) {
      c10::impl::GenericList list(
          node.output()->type()->expectRef<c10::ListType>().getElementType());
      for (c10::IValue& item : stack) list.push_back(std::move(item));
      values_[node.output()] = std::move(list);
    } else if (node.kind() == c10::prim::ListUnpack) {
      const auto list = stack.front().toListRef();
      for (std::size_t i = 0; i < list.size(); ++i) values_[node.outputs()[i]] = list[i];
    } else {
      node.getOperation()(stack);
      for (std::size_t i = 0; i < stack.size(); ++i) values_[node.outputs()[i]] = stack[i];
    }
  }

  /// False where this product is not one the kernel may take over.
  bool multiply(const jit::Node& node, const Site& site) {
    const jit::Value* weight_value = node.input(site.weight);
    const jit::Value* given = given_matrix(weight_value);
    if (given == nullptr || given == given_matrix(node.input(site.x))) return false;
    const at::Tensor x = value(node.input(site.x)).toTensor();
    at::Tensor weight = value(weight_value).toTensor();
    if (weight.dim() != 2 || x.dim() < 1 || !x.is_floating_point()) return false;
    if (site.transposed) weight = weight.t();
    const bool scaled = node.kind() == c10::Symbol::fromQualString("aten::addmm") &&
                        (value(node.input(3)).toScalar().toDouble() != 1 ||
                         value(node.input(4)).toScalar().toDouble() != 1);
    if (scaled) return false;
    if (x.scalar_type() == at::kDouble) {
      refusal = kernel_.name + " takes float32, bfloat16 and float16, not float64";
      return false;
    }
    if (x.size(-1) != weight.size(1) || x.numel() == 0 || weight.numel() == 0) return false;
    const at::Tensor rows = x.reshape({-1, x.size(-1)}).contiguous();
    weight = weight.contiguous();
    if (kernel_.refuses) {
      if (const auto why = kernel_.refuses(rows, weight)) {
        refusal = *why;
        return false;
      }
    }
    at::Tensor bias;
    if (site.bias) {
      const c10::IValue given_bias = value(node.input(*site.bias));
      if (given_bias.isTensor()) bias = given_bias.toTensor();
    }
    const bool fused_bias = bias.defined() && bias.dim() == 1 && kernel_.takes_bias;
    const QuantisedProduct product =
        kernel_.multiply(rows, weight, fused_bias ? bias.contiguous() : at::Tensor());
    keep(node, product, fused_bias ? bias : at::Tensor());
    at::Tensor y = product.y;
    if (bias.defined() && !fused_bias) y = y + bias;
    auto sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    values_[node.output()] = y.reshape(sizes);
    return true;
  }

  void keep(const jit::Node& node, const QuantisedProduct& product, const at::Tensor& bias) {
    Program linear = product_program(product.weight_terms);
    linear.traits.sequential = kernel_.sequential;
    Part part;
    part.name = node.kind().toQualString();
    if (!parts.empty()) part.name += " " + std::to_string(parts.size() + 1);
    part.program = linear;
    part.operands = [product, bias] {
      std::vector<std::pair<std::string, Rounding>> operands = {{"input", product.activation()},
                                                                {"weight", product.weight()}};
      if (bias.defined()) operands.emplace_back("bias", unrounded(bias));
      return operands;
    };
    part.outputs = {{"output 0", product.y}};
    parts.push_back(std::move(part));
  }

  const jit::Graph& graph_;
  const QuantisedKernel& kernel_;
  std::unordered_map<const jit::Value*, c10::IValue> values_;
};

Execution execute_quantised(const QuantisedKernel& kernel, const Program& program,
                            const Inputs& inputs) {
  const at::NoGradGuard no_grad;
  const TracedGraph traced = [&] {
    const TracePause pause;
    return traced_graph(program, private_copy(inputs));
  }();
  Interpreter interpreter(traced, kernel);
  Execution execution = traced.named(interpreter.run(tensors_of(inputs)));
  if (interpreter.parts.empty()) {
    throw CannotRun(interpreter.refusal.empty()
                        ? "it has no linear, mm, addmm or matmul with a constant matrix to quantise"
                        : interpreter.refusal);
  }
  execution.parts = std::move(interpreter.parts);
  return execution;
}

}  // namespace

Variant quantised_variant(QuantisedKernel kernel) {
  return {.name = kernel.name,
          .about = kernel.about,
          .unavailable = [kernel](const Program& program,
                                  c10::Device device) -> std::optional<std::string> {
            if (const auto why = device_unavailable(device)) return why;
            if (!device.is_cpu()) return kernel.name + " runs on the CPU alone";
            if (!program.grad.empty()) return "quantised kernels have no gradient";
            return kernel.unavailable ? kernel.unavailable() : std::nullopt;
          },
          .execute = [kernel](const Program& program, const Inputs& inputs,
                              c10::Device) { return execute_quantised(kernel, program, inputs); }};
}

}  // namespace plumb
