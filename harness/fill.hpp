#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/result.hpp"

namespace plumb {

/// The value programs a case may name in "fill".
std::vector<std::string> fill_names();

/// float64 values of the given shape for a fill; `dtype` sets where "near-overflow" and "subnormal"
/// lie. InputError, starting with `where`, for unknown fills or params.
at::Tensor fill_values(const std::string& fill, const Json& params, at::IntArrayRef shape,
                       c10::ScalarType dtype, std::uint64_t seed, const std::string& where);

}  // namespace plumb
