#pragma once

#include <cstdint>
#include <string>

#include "harness/result.hpp"

namespace plumb {

/// More elements than a case can hold as text.
inline constexpr std::int64_t kMostInline = 1 << 16;

/// The case with its operators by their full names and the values of every tensor, drawn or from a
/// file, written down bit for bit. Tensors stay as they are where together they would exceed
/// kMostInline elements. `file` as in case_from_json.
Json inline_case(const Json& stored, const std::string& file);

}  // namespace plumb
