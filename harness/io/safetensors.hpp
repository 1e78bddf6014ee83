#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/io/mapped_file.hpp"

namespace plumb {

/// A tensor in a safetensors file: contiguous, row-major, little-endian, of any alignment.
struct SafetensorsTensor {
  std::string dtype;                  ///< as in the file: "F32", "BF16", "I64", …
  std::vector<std::int64_t> shape;    ///< empty for a scalar
  std::span<const std::byte> data{};  ///< points into the mapped file
};

/// A safetensors file, checked whole when opened: afterwards every tensor's dtype, shape and data
/// agree, and the tensors tile the buffer without holes or overlap.
class SafetensorsFile {
 public:
  /// Throws InputError with one sentence that names the file, the field and what was expected.
  static SafetensorsFile open(const std::filesystem::path& path);

  /// In alphabetical order.
  std::vector<std::string> names() const;

  /// Null if there is no tensor of that name.
  const SafetensorsTensor* find(std::string_view name) const;

  /// Throws InputError, suggesting the nearest name, if there is no tensor of that name.
  const SafetensorsTensor& at(std::string_view name) const;

  /// The `__metadata__` entry: text by key.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  explicit SafetensorsFile(MappedFile file) : file_(std::move(file)) {}

  MappedFile file_;
  std::map<std::string, SafetensorsTensor, std::less<>> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Bits per element of a safetensors dtype (4 for "F4"), or 0 if there is no such dtype.
int safetensors_bits(std::string_view dtype);

/// A tensor to write: `bytes` are its elements, row-major, as many as dtype and shape say.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes a whole file or none (see write_file_atomically). Each tensor begins at a multiple of its
/// element's size, and the order of the entries does not matter. Throws InputError where the file
/// cannot be written or an entry contradicts itself.
void write_safetensors(const std::filesystem::path& path,
                       std::span<const SafetensorsEntry> entries);

}  // namespace plumb
