#pragma once

#include <string>
#include <utility>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {

/// The row of aten::linear in a variant, its operands rounded to `dtype` first.
inline Result judged_linear(const std::string& variant, c10::ScalarType dtype, const at::Tensor& x,
                            const at::Tensor& weight, c10::Device device = c10::kCPU) {
  Settings settings;
  settings.variant = variant;
  settings.device = device;
  Inputs inputs = cast({{"input", x}, {"weight", weight}}, dtype);
  const Program linear = operator_program(*operator_named("aten::linear"));
  return evaluate({linear, std::move(inputs), dtype, {}}, settings).result;
}

/// Why no linear layer runs in the variant on this machine and torch; empty where one does.
inline std::optional<std::string> why_not_here(const std::string& variant) {
  const Program linear = operator_program(*operator_named("aten::linear"));
  return variant_or_usage_error(variant).unavailable(linear, c10::kCPU);
}

inline bool sound(const Result& row) {
  return row.verdict == Verdict::stable || row.verdict == Verdict::exact;
}

}  // namespace plumb
