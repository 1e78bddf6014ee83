#pragma once

#include <string>

#include "harness/judge.hpp"
#include "harness/result.hpp"

namespace plumb {

/// The distances of a numeric judgement, with scope and place of the worst element, as fields of a
/// row.
void copy_distances(const Judgement& judged, Result& row);

/// The element at an index, dequantised: a tensor without dimensions where the index is whole.
at::Tensor element_at(at::Tensor tensor, const std::vector<std::int64_t>& index);

/// The first true element of a mask that has one.
std::vector<std::int64_t> first_place(const at::Tensor& mask);

/// "[1, 3]"; empty for a tensor without dimensions.
std::string index_text(const std::vector<std::int64_t>& index);

/// What the worst element shows, in words: "output 0 is 0, the right value is 1e-9". Empty where
/// nothing is wrong, or no single number shows it.
std::string evidence(const Judgement& judged, const Outputs& outputs, const Truths& truths);

}  // namespace plumb
