#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/io/gguf_blocks.hpp"
#include "harness/io/mapped_file.hpp"

namespace plumb {

/// A tensor in a GGUF file.
struct GgufTensor {
  std::string name;
  const GgufType* type = nullptr;   ///< never null in an opened file
  std::vector<std::int64_t> shape;  ///< row-major as in torch: the reverse of the file's order
  std::size_t elements = 0;
  std::span<const std::byte> data{};  ///< points into the mapped file
};

/// A metadata value where it lies in the file. `type` is the file's type id, of the elements for an
/// array; `count` is 1 for anything else.
struct GgufValue {
  bool array = false;
  std::uint32_t type = 0;
  std::uint64_t count = 1;
  std::span<const std::byte> data{};
};

/// What a GGUF file declares.
struct GgufContents {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> values;
  std::vector<GgufTensor> tensors;                         ///< in the order of the file
  std::map<std::string, std::size_t, std::less<>> places;  ///< in `tensors`, by name
};

/// A GGUF file of version 2 or 3, checked whole when opened: every count, length and offset stays
/// in the file, and tensors do not overlap. Metadata stay in the mapped file and are decoded when
/// asked for, so that no header can make it take memory.
class GgufFile {
 public:
  /// Throws InputError with one sentence that names the file, the field and what was expected.
  static GgufFile open(const std::filesystem::path& path);

  std::uint32_t version() const { return contents_.version; }

  /// Metadata keys, in alphabetical order.
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;

  // Each throws InputError if the key is missing (suggesting the nearest) or of another kind.
  std::uint64_t u64(std::string_view key) const;                 ///< any integer type, not negative
  double f64(std::string_view key) const;                        ///< any number
  bool boolean(std::string_view key) const;                      ///< bool only
  std::string string(std::string_view key) const;                ///< string only
  std::vector<std::string> strings(std::string_view key) const;  ///< array of strings
  std::vector<double> numbers(std::string_view key) const;       ///< array of numbers

  /// In the order of the file.
  const std::vector<GgufTensor>& tensors() const { return contents_.tensors; }

  /// Null if there is no tensor of that name.
  const GgufTensor* find(std::string_view name) const;

  /// Throws InputError, suggesting the nearest name, if there is no tensor of that name.
  const GgufTensor& at(std::string_view name) const;

  /// The tensor's values in row-major order; `out` has `tensor.elements` places. Throws InputError
  /// for a type that is not decoded, std::invalid_argument for another size of `out`.
  void decode_row_major(const GgufTensor& tensor, std::span<float> out) const;

 private:
  GgufFile(MappedFile file, GgufContents contents);
  const GgufValue& value(std::string_view key, bool array) const;
  [[noreturn]] void refuse(const std::string& why) const;

  MappedFile file_;
  GgufContents contents_;
};

}  // namespace plumb
