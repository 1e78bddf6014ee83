#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/format.hpp"
#include "harness/result.hpp"

namespace plumb {

/// What the floating tensors of a case are drawn from: `fill` and `params` of a generated tensor,
/// by what the format can hold. `round` varies programs that are made of single constants.
struct ValueProgram {
  std::string name;
  std::function<Json(const FormatTraits& format, int round)> fill;
  bool finite = true;  // neither infinities nor NaN
};

/// In the order of cases: the most telling first.
const std::vector<ValueProgram>& value_programs();

/// Numbers that have a meaning for an argument: "0..1" (both ends included), "-1/1" (one of these)
/// or a fill by name ("definite"). Variations 0 and 1 are ordinary, the others are at the edges.
Json fill_in_domain(const std::string& domain, const FormatTraits& format, int variation);

}  // namespace plumb
