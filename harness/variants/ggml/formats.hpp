#pragma once

#include <cstddef>
#include <cstdint>

#include <ATen/core/Tensor.h>

namespace plumb::ggml {

/// What blocks of ggml stand for, decoded here and not by ggml, exactly: [rows,columns] in double.
struct Decoded {
  at::Tensor value;
  /// What a product meets in its place: the square root of a²+b² where the value is stored as a-b
  /// and the two parts are multiplied apart; the value where it is stored as one.
  at::Tensor terms;
};

/// `blocks` holds rows·columns values in the type with this number. Types: F16, Q4_0, Q8_0, Q4_K,
/// Q6_K, Q8_K.
Decoded decoded(std::uint32_t type, const std::byte* blocks, std::int64_t rows,
                std::int64_t columns);

/// Whether `terms` are other than the value.
bool is_stored_in_parts(std::uint32_t type);

/// The values of a row that share a scale; 1 for F16.
std::int64_t block_of(std::uint32_t type);

/// Twice of what a sound quantiser of this type may lose of each element of `value` [rows,columns],
/// in double. See docs/variants.md for where the widths come from.
at::Tensor step_of(std::uint32_t type, const at::Tensor& value);

}  // namespace plumb::ggml
