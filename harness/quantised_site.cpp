#include "harness/quantised_site.hpp"

#include <map>
#include <tuple>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include "harness/raised.hpp"
#include "harness/trace.hpp"

namespace plumb {
namespace {

namespace jit = torch::jit;

/// Views and casts that leave a constant what it was, or its transpose.
bool is_view(const jit::Node& node) {
  static const char* const names[] = {"aten::t",          "aten::transpose", "aten::numpy_T",
                                      "aten::contiguous", "aten::detach",    "aten::to",
                                      "aten::alias"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* name) {
    return node.kind().toQualString() == std::string_view(name);
  });
}

/// Where the tensor comes from; null if the program computes it.
const jit::Value* given_tensor(const jit::Value* value) {
  while (is_view(*value->node())) value = value->node()->input(0);
  const bool given =
      value->node()->kind() == c10::prim::Param || value->node()->kind() == c10::prim::Constant;
  return given ? value : nullptr;
}

/// Where x and w move by relative xi uniform in [-1,1] each, of variance 1/3, the sum of x·w moves
/// by sqrt(2/3 · Σ(x·w)²) in root mean square, and a bias by its own.
std::vector<at::Tensor> sensitivity_of(const Program& promise, const Inputs& in,
                                       const at::Tensor& weight) {
  Inputs squares = {{"input", in["input"].square()}, {"weight", weight.square()}};
  if (in.find("bias") != nullptr) squares.set("bias", in["bias"].square() / 2);
  return {(promise.forward(squares, std::nullopt).front().tensor * 2 / 3).sqrt()};
}

/// Why this torch does not run the kernel on a device for a type, in its words, from a small
/// product of a shape that every kernel takes. Kernels differ by the generation of the device and
/// the release of torch, and say so only when they are called.
std::string refused_by_torch(const QuantisedKernel& kernel, const at::Tensor& like) {
  static std::map<std::tuple<std::string, c10::DeviceType, at::ScalarType>, std::string> known;
  const auto [found, is_new] =
      known.try_emplace({kernel.name, like.device().type(), like.scalar_type()});
  if (!is_new) return found->second;
  const TracePause pause;
  try {
    kernel.multiply(at::ones({16, 64}, like.options()), at::ones({32, 64}, like.options()), {});
  } catch (const c10::Error& error) {
    found->second =
        kernel.name + " does not run here on " + like.device().str() + ": " + message_of(error);
  }
  return found->second;
}

}  // namespace

std::string_view GraphCall::op() const { return node_.kind().toQualString(); }

bool GraphCall::has(std::string_view argument) const {
  return node_.schema().argumentIndexWithName(argument).has_value();
}

const jit::Value* GraphCall::input(std::string_view argument) const {
  return node_.input(
      static_cast<std::size_t>(node_.schema().argumentIndexWithName(argument).value()));
}

const c10::IValue& GraphCall::operator[](std::string_view argument) const {
  return values_.at(input(argument));
}

at::Tensor GraphCall::tensor(std::string_view argument) const {
  const c10::IValue& value = (*this)[argument];
  return value.isTensor() ? value.toTensor() : at::Tensor();
}

bool GraphCall::is_constant(std::string_view argument, std::string_view other_factor) const {
  const jit::Value* given = given_tensor(input(argument));
  return given != nullptr && given != given_tensor(input(other_factor));
}

std::string refused_type(const QuantisedKernel& kernel, const at::Tensor& x) {
  if (x.scalar_type() != at::kDouble) return x.is_cpu() ? "" : refused_by_torch(kernel, x);
  return kernel.name + " takes float32, bfloat16 and float16, not float64";
}

Part part_of(const GraphCall& call, const QuantisedKernel& kernel, Program promise,
             const QuantisedProduct& product, const at::Tensor& bias) {
  promise.traits.sequential =
      kernel.sequential || (kernel.sequential_on_cuda && product.y.is_cuda());
  promise.sensitivity = [promise, terms = product.weight_terms](const Inputs& in) {
    return sensitivity_of(promise, in, terms ? terms() : in["weight"]);
  };
  Part part;
  part.name = call.op();
  part.program = std::move(promise);
  part.operands = [product, bias] {
    std::vector<std::pair<std::string, Rounding>> operands = {{"input", product.activation()},
                                                              {"weight", product.weight()}};
    if (bias.defined()) operands.emplace_back("bias", unrounded(bias));
    return operands;
  };
  part.outputs = {{"output 0", product.y}};
  return part;
}

}  // namespace plumb
