#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include <ATen/ATen.h>

#include "harness/relation.hpp"

namespace plumb {

/// The row of a table of laws for an operator by its name without namespace and overload.
template <typename Table>
auto law_of(const Table& table, const Asked& asked) -> const typename Table::value_type* {
  const std::string base = asked.base();
  const std::string_view name = std::string_view(base).substr(base.find("::") + 2);
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name == name; });
  return base.starts_with("aten::") && row != table.end() ? &*row : nullptr;
}

/// The floating tensor of that name; empty where the argument is missing or something else.
inline std::optional<at::Tensor> floating(const Inputs& inputs, std::string_view name) {
  const c10::IValue* value = inputs.find(name);
  const bool fits = value != nullptr && value->isTensor() && value->toTensor().is_floating_point();
  return fits ? std::optional(value->toTensor()) : std::nullopt;
}

/// Laws are about the forward pass of plain tensors.
inline bool is_forward(const Asked& asked) {
  return asked.program.grad.empty() && !asked.outputs.empty() &&
         asked.outputs.front().tensor.is_floating_point();
}

}  // namespace plumb
