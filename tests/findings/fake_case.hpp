#pragma once

#include <functional>
#include <vector>

#include "findings/draft.hpp"
#include "findings/literal.hpp"
#include "findings/search.hpp"

namespace plumb {

/// A case of an operator that does not matter.
inline Json fake_case(const Json& args) {
  return {{"schema", "plumb.case/1"}, {"op", "aten::exp"}, {"dtype", "float32"}, {"args", args}};
}

inline Json vector_case(const std::vector<double>& values) {
  Json data = Json::array();
  for (const double value : values) data.push_back(number_to_json(value));
  return fake_case({{"self", {{"data", data}}}});
}

/// The numbers of an argument; none where it is absent.
inline std::vector<double> numbers(const Json& stored, const char* argument = "self") {
  std::vector<double> values;
  if (!stored["args"].contains(argument)) return values;
  for (const Json& value : draft_of(stored["args"][argument]).values) {
    values.push_back(number_of(value));
  }
  return values;
}

inline bool any_number(const Json& stored, const std::function<bool(double)>& matches,
                       const char* argument = "self") {
  for (const double value : numbers(stored, argument)) {
    if (matches(value)) return true;
  }
  return false;
}

}  // namespace plumb
