#include "harness/integers.hpp"

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"

namespace plumb {

IntegerRange range_of(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool: return {0, 1};
    case c10::ScalarType::Byte: return {0, UINT8_MAX};
    case c10::ScalarType::Char: return {INT8_MIN, INT8_MAX};
    case c10::ScalarType::Short: return {INT16_MIN, INT16_MAX};
    case c10::ScalarType::Int: return {INT32_MIN, INT32_MAX};
    default: return {INT64_MIN, INT64_MAX};
  }
}

std::int64_t integer_element(const Json& json, c10::ScalarType dtype, const std::string& where) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  const auto [least, most] = range_of(dtype);
  const bool fits = json.is_number_unsigned()
                        ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : json.is_number_integer() && json.get<std::int64_t>() >= least;
  if (fits) return json.get<std::int64_t>();
  throw InputError(where + ": expected an integer from " + std::to_string(least) + " to " +
                   std::to_string(most) + ", what " + dtype_name(dtype) + " holds, not " +
                   excerpt(json));
}

}  // namespace plumb
