#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <ATen/core/ivalue.h>

#include "harness/quantised.hpp"
#include "harness/registry.hpp"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace plumb {

/// What the values of a graph are while it runs.
using GraphValues = std::unordered_map<const torch::jit::Value*, c10::IValue>;

/// A call of an operator in a graph, its arguments by the names of the schema.
class GraphCall {
 public:
  GraphCall(const torch::jit::Node& node, const GraphValues& values)
      : node_(node), values_(values) {}

  std::string_view op() const;  // "aten::linear"
  bool has(std::string_view argument) const;
  const c10::IValue& operator[](std::string_view argument) const;

  /// A tensor argument; undefined where it is None.
  at::Tensor tensor(std::string_view argument) const;

  /// Whether the program is given this argument and has not computed it, but for views and casts,
  /// and it is not the other factor too.
  bool is_constant(std::string_view argument, std::string_view other_factor) const;

 private:
  const torch::jit::Value* input(std::string_view argument) const;

  const torch::jit::Node& node_;
  const GraphValues& values_;
};

/// What a kernel put in the place of a call.
struct Replacement {
  at::Tensor y;  // of the shape that the call gives
  Part part;
};

/// A kind of calls that quantised kernels take over.
struct QuantisedSite {
  std::string name;
  std::function<bool(std::string_view op)> covers;
  /// Empty where the call is left as it is; `refusal` says why if that is for the kernel.
  std::function<std::optional<Replacement>(const GraphCall&, const QuantisedKernel&,
                                           std::string& refusal)>
      take_over;
};

/// Why the kernel does not take numbers of this type, on this device; empty where it does.
std::string refused_type(const QuantisedKernel& kernel, const at::Tensor& x);

/// The part that a kernel ran: `promise` is a program of "input", "weight" and perhaps "bias",
/// linear in the first two each. Its name is that of the call.
Part part_of(const GraphCall& call, const QuantisedKernel& kernel, Program promise,
             const QuantisedProduct& product, const at::Tensor& bias);

}  // namespace plumb
