#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "harness/result.hpp"

namespace plumb {

/// Where a tensor of a case comes from besides its own JSON.
struct TensorSource {
  std::string folder;                       // external files are looked up relative to it
  std::uint64_t seed = 0;                   // of generated values
  std::optional<c10::ScalarType> round_to;  // the case's dtype: floating tensors take it
};

/// Builds the tensor of a case (docs/formats.md): inline `data`, generated `fill`, or external
/// `safetensors`, with `strides`, `offset` and `view`. Values are rounded once, to nearest even.
/// Generated values depend on the seed and `name` alone. InputError, starting with `where`, for
/// anything else; sizes are checked before memory is taken.
at::Tensor tensor_from_json(const Json& json, const std::string& name, const TensorSource& source,
                            const std::string& where);

/// Whether the tensor's values come from the seed.
bool is_generated(const Json& json);

}  // namespace plumb
