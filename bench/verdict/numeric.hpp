#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

namespace plumb::bench {

at::Tensor f32(const at::Tensor& tensor);

/// Rounded to a narrower type and back to f32: an intermediate that was stored in it.
at::Tensor stored_in(c10::ScalarType narrow, const at::Tensor& tensor);

/// The type a careless kernel keeps intermediates in: bf16 for f32, else the type itself.
c10::ScalarType coarse(c10::ScalarType dtype);

/// f32 with only the leading `bits` of the significand, the hidden one included.
at::Tensor truncated(const at::Tensor& tensor, int bits);

/// Truncation three bits short of the type (f32: thirteen, as TF32 does), as f32.
at::Tensor short_of_bits(const at::Tensor& tensor);

/// Values below the least normal number of the type become zero; as f32.
at::Tensor flushed(const at::Tensor& tensor, c10::ScalarType type);

/// Relative size of the `scale` bug: 4 units in the last place of a half type, 2^-12 in f32.
double scale_error(c10::ScalarType dtype);

/// Calls visit(begin, length) for consecutive blocks of at most `size`.
void for_blocks(std::int64_t n, std::int64_t size,
                const std::function<void(std::int64_t, std::int64_t)>& visit);

/// A fixed permutation of 0 … n−1.
at::Tensor shuffled(std::int64_t n);

}  // namespace plumb::bench
