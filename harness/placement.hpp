#pragma once

#include "harness/inputs.hpp"

namespace plumb {

/// All the memory a plain tensor lies in, as one row: what it shares with its views.
at::Tensor memory_of(const at::Tensor& tensor);

/// A copy with the same layout, in memory of its own on that device.
at::Tensor copy_on(c10::Device device, const at::Tensor& tensor);

/// The same tensors where they are on that device, else such copies.
Inputs placed_on(c10::Device device, const Inputs& inputs);

}  // namespace plumb
