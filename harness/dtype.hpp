#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <c10/core/ScalarType.h>

#include "harness/compare.hpp"

namespace plumb {

/// torch's own spelling: "float32", "bfloat16", "int64", "bool".
std::string dtype_name(c10::ScalarType dtype);

/// Accepts torch's names and the short forms f64 f32 f16 bf16; empty for anything else.
std::optional<c10::ScalarType> dtype_from(std::string_view name);

/// Like dtype_from, but throws UsageError with the nearest name.
c10::ScalarType dtype_or_usage_error(std::string_view name);

/// The comparison format of a real floating type; empty for integers, bool and complex.
std::optional<Format> format_of(c10::ScalarType dtype);

/// Unit roundoff u (half the spacing at 1) of a floating or complex type.
double unit_roundoff(c10::ScalarType dtype);

/// Unit roundoff of the accumulator a sound kernel uses for this output type: f32 for half and
/// float types, f64 for double (docs/verdict.md, "contract").
double accumulator_roundoff(c10::ScalarType dtype);

/// The real type of a complex type; any other type as it is.
c10::ScalarType real_type(c10::ScalarType dtype);

/// `dtype` made as wide as `wide` (complex stays complex); integers and bool as they are.
c10::ScalarType widened(c10::ScalarType dtype, c10::ScalarType wide);

}  // namespace plumb
