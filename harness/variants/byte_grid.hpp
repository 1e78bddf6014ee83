#pragma once

#include <functional>

#include "harness/variants/quantise.hpp"

namespace plumb {

/// Activations as uint8: the scale and zero point that torch chooses for a tensor.
struct ByteGrid {
  double scale = 1;
  std::int64_t zero = 0;

  at::Tensor quantised(const at::Tensor& x) const;  // quint8, by at::quantize_per_tensor
  Rounding rounding(const at::Tensor& x) const;     // what that makes of x
};

/// `seven_bits` leaves half of the range unused ("reduce_range").
ByteGrid byte_grid(const at::Tensor& x, bool seven_bits);

/// Whether a kernel limits sums of two neighbouring products of a uint8 and an int8 to int16, as
/// kernels for CPUs without VNNI do. Such a kernel needs activations of seven bits, whose pairs
/// fit; so torch.ao's modules call it. `multiply` gives x·weightᵀ with activations of eight bits.
bool saturates_pairs(
    const std::function<at::Tensor(const at::Tensor& x, const IntegerWeight& weight)>& multiply);

}  // namespace plumb
