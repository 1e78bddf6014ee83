#pragma once

#include <cstdint>
#include <string>

#include <c10/core/ScalarType.h>

#include "harness/result.hpp"

namespace plumb {

/// What an integer type or bool (0 and 1) can hold.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
IntegerRange range_of(c10::ScalarType dtype);

/// An element of an integer or bool tensor: an integer that the type holds, true or false.
/// InputError, starting with `where`, names the type and its range.
std::int64_t integer_element(const Json& json, c10::ScalarType dtype, const std::string& where);

}  // namespace plumb
