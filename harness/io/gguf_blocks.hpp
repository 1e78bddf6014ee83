#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

/// How a GGUF element type is stored: blocks of `elements` values along a row, `bytes` bytes each.
struct GgufType {
  std::uint32_t id;
  std::string_view name;  ///< "F32", "Q4_K", …
  std::uint64_t elements;
  std::uint64_t bytes;
  /// Decodes `count` blocks of any alignment; null for types that are known but not decoded.
  void (*decode)(const std::byte* blocks, std::size_t count, float* out);
};

/// Null if there is no such type.
const GgufType* gguf_type(std::uint32_t id);

}  // namespace plumb
