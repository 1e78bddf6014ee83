#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "harness/io/safetensors.hpp"

namespace plumb {

/// A tensor of its own memory with the entry's dtype, shape and values. InputError, naming `file`,
/// for a dtype that torch does not have.
at::Tensor tensor_from_safetensors(const SafetensorsTensor& entry, const std::string& file);

}  // namespace plumb
