#pragma once

#include <optional>
#include <string_view>

#include "harness/io/gguf.hpp"

namespace plumb {

namespace gguf {

/// Metadata value types, by the numbers the format gives them.
enum ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64,
};

}  // namespace gguf

/// Bytes of a value of that type; 0 for strings, arrays and types that do not exist.
std::size_t gguf_value_bytes(std::uint32_t type);

/// Reads everything but the data, and checks all of it. Throws InputError.
GgufContents parse_gguf(const MappedFile& file);

}  // namespace plumb
