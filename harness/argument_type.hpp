#pragma once

#include <ATen/core/function_schema.h>

namespace plumb {

/// The type itself, without the Optional around it.
c10::TypePtr inside_optional(const c10::TypePtr& type);

/// Whether an argument is a ScalarType, optional or not: its value in a graph is an integer.
bool takes_dtype(const c10::Argument& argument);

}  // namespace plumb
