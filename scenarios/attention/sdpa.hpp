#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/SDPBackend.h>
#include <ATen/core/Tensor.h>

#include "harness/sdp_backends.hpp"

namespace plumb {

/// One call of scaled_dot_product_attention.
struct Attention {
  at::Tensor query, key, value;  // [batch, heads, length, dim]
  std::optional<at::Tensor> mask = std::nullopt;
  double dropout = 0;
  bool causal = false;
  bool grouped = false;  // fewer key heads than query heads

  at::Tensor run() const;

  /// The same call in float64 by the math back end: the truth.
  at::Tensor truth() const;

  /// Which back end torch picks for it.
  at::SDPBackend choice() const;
};

/// "math", "flash", "efficient", "cudnn"
std::string backend_name(at::SDPBackend backend);

/// The operator that did the work, from a path: "aten::_scaled_dot_product_attention_math";
/// empty if none is there.
std::string attention_kernel(const std::vector<std::string>& path);

bool is_math_kernel(const std::string& kernel);

/// torch's own reasons for not taking the flash kernel, joined; empty if it would take it or says
/// nothing. torch gives them only when nothing else is allowed, so that is what this asks for.
std::string why_not_flash(const Attention& attention);

}  // namespace plumb
