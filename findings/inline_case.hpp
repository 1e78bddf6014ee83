#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "harness/result.hpp"

namespace plumb {

/// More elements than a case can hold as text.
inline constexpr std::int64_t kMostInline = 1 << 16;

/// The case with its operators by their full names and the values of every tensor, drawn or from a
/// file, written down bit for bit. Tensors stay as they are where together they would exceed
/// kMostInline elements. `file` as in case_from_json.
Json inline_case(const Json& stored, const std::string& file);

/// One tensor of a case with these values, its own, written down; its layout stays.
Json inline_spec(const Json& spec, const at::Tensor& tensor, bool case_has_dtype);

}  // namespace plumb
