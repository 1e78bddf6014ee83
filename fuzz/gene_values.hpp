#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/format.hpp"
#include "harness/result.hpp"

namespace plumb {

/// What a floating tensor of a genome is drawn from: `fill` and `params` of a generated tensor by
/// format and the two parameters of its gene.
struct GeneValues {
  std::string name;
  std::function<Json(const FormatTraits& format, std::uint8_t a, std::uint8_t b)> fill;
  bool finite = true;  // neither infinities nor NaN
};

/// Those of a sweep first, which know one parameter at most, then those with two.
const std::vector<GeneValues>& gene_values();

}  // namespace plumb
