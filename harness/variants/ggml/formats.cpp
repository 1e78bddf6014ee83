#include "harness/variants/ggml/formats.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <ATen/ATen.h>

#include "harness/io/gguf_blocks.hpp"

namespace plumb::ggml {
namespace {

enum : std::uint32_t { kF16 = 1, kQ4_0 = 2, kQ8_0 = 8, kQ4_K = 12, kQ6_K = 14, kQ8_K = 15 };

using Bytes = std::vector<std::byte>;

/// In float, which holds scale · integer exactly in all of these types.
at::Tensor as_stored(std::uint32_t type, const Bytes& blocks, std::int64_t rows,
                     std::int64_t columns) {
  const GgufType& format = *gguf_type(type);
  const at::Tensor values = at::empty({rows, columns}, at::kFloat);
  format.decode(blocks.data(), blocks.size() / format.bytes, values.mutable_data_ptr<float>());
  return values.to(at::kDouble);
}

/// Blocks of Q4_K with `count` bytes from `first` of each set to zero.
Bytes without(Bytes blocks, std::size_t first, std::size_t count) {
  for (std::size_t at = 0; at < blocks.size(); at += gguf_type(kQ4_K)->bytes) {
    std::memset(blocks.data() + at + first, 0, count);
  }
  return blocks;
}

/// Q4_K stores scale·q - offset: 2 bytes of d, 2 of dmin, 12 of scales, 128 of q. Without dmin the
/// decoder gives the first part, without q the other, both without rounding.
Decoded decoded_q4_k(const Bytes& blocks, std::int64_t rows, std::int64_t columns) {
  const at::Tensor scaled = as_stored(kQ4_K, without(blocks, 2, 2), rows, columns);
  const at::Tensor offset = as_stored(kQ4_K, without(blocks, 16, 128), rows, columns);
  return {scaled + offset, (scaled.square() + offset.square()).sqrt()};
}

/// Q8_K, which no file holds: a float scale, 256 of int8, 16 sums of 16.
at::Tensor decoded_q8_k(const Bytes& blocks, std::int64_t rows, std::int64_t columns) {
  const at::Tensor values = at::empty({rows, columns}, at::kDouble);
  double* to = values.mutable_data_ptr<double>();
  for (std::size_t at = 0; at < blocks.size(); at += gguf_type(kQ8_K)->bytes) {
    float scale = 0;
    std::memcpy(&scale, blocks.data() + at, sizeof scale);
    for (std::size_t i = 0; i < 256; ++i) {
      const auto q = static_cast<std::int8_t>(blocks[at + 4 + i]);
      *to++ = static_cast<double>(scale) * q;
    }
  }
  return values;
}

/// The greatest of each group of `size`, for each of its elements.
at::Tensor greatest(const at::Tensor& values, std::int64_t size) {
  return values.unflatten(1, {-1, size}).amax(2).repeat_interleave(size, 1);
}

/// The distance of neighbouring float16 at these magnitudes.
at::Tensor spacing_f16(const at::Tensor& value) {
  const at::Tensor exponent = std::get<1>(at::frexp(value)) - 1;
  return at::ldexp(at::ones_like(value), exponent.clamp_min(-14) - 10);
}

/// A scale in float16 is off by 2^-11 of itself, or by 2^-25 where it is subnormal.
at::Tensor lost_by_scale(const at::Tensor& magnitude, double integers) {
  return magnitude * 0x1p-11 + integers * 0x1p-25;
}

/// From zero to the least and the greatest of 32 values.
at::Tensor range_of_32(const at::Tensor& value) {
  return greatest(value.clamp_min(0), 32) + greatest((-value).clamp_min(0), 32);
}

}  // namespace

Decoded decoded(std::uint32_t type, const std::byte* data, std::int64_t rows,
                std::int64_t columns) {
  const GgufType& format = *gguf_type(type);
  const auto count = static_cast<std::uint64_t>(rows * columns) / format.elements;
  const Bytes blocks(data, data + count * format.bytes);
  if (is_stored_in_parts(type)) return decoded_q4_k(blocks, rows, columns);
  const at::Tensor value =
      type == kQ8_K ? decoded_q8_k(blocks, rows, columns) : as_stored(type, blocks, rows, columns);
  return {value, value};
}

bool is_stored_in_parts(std::uint32_t type) { return type == kQ4_K; }

std::int64_t block_of(std::uint32_t type) {
  return static_cast<std::int64_t>(gguf_type(type)->elements);
}

at::Tensor step_of(std::uint32_t type, const at::Tensor& value) {
  const at::Tensor magnitude = value.abs();
  switch (type) {
    case kF16: return spacing_f16(value);
    case kQ8_0:  // integers to 127
      return greatest(magnitude, 32) / 127 + 2 * lost_by_scale(magnitude, 127);
    case kQ8_K: return greatest(magnitude, 256) / 127;
    case kQ4_0:  // -8 to 7: the end without an eighth step loses a whole one
      return 2 * (greatest(magnitude, 32) / 8 + lost_by_scale(magnitude, 8));
    case kQ4_K: {  // 0 to 15 over the range; the widest of eight sets the scale of the scales
      const at::Tensor widest = greatest(range_of_32(value), 256);
      return 2 * (widest / 15 + lost_by_scale(widest, 2 * 63 * 15));
    }
    case kQ6_K: {  // -32 to 31
      const at::Tensor widest = greatest(magnitude, 256);
      return 2 * (widest / 32 + lost_by_scale(widest, 128 * 32));
    }
    default: throw std::logic_error("no grid for ggml type " + std::to_string(type));
  }
}

}  // namespace plumb::ggml
