#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/io/temporary_file.hpp"

namespace plumb {

inline std::string gguf_string(const std::string& text) {
  return bytes_of<std::uint64_t>(text.size()) + text;
}

/// Writes GGUF files by hand, field by field, so that each can be made wrong.
struct GgufBuilder {
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  ///< of the padding before the data
  std::vector<std::string> values, tensors;
  std::string data;
  std::int64_t extra_values = 0, extra_tensors = 0;  ///< how much the counts lie

  GgufBuilder& value(const std::string& key, std::uint32_t type, const std::string& bytes) {
    values.push_back(gguf_string(key) + bytes_of(type) + bytes);
    return *this;
  }

  GgufBuilder& array(const std::string& key, std::uint32_t element, std::uint64_t count,
                     const std::string& bytes) {
    return value(key, 9, bytes_of(element) + bytes_of(count) + bytes);
  }

  /// `dims` in the order of the file, fastest first.
  GgufBuilder& tensor(const std::string& name, const std::vector<std::uint64_t>& dims,
                      std::uint32_t type, std::uint64_t offset) {
    std::string info = gguf_string(name) + bytes_of(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims) info += bytes_of(dim);
    tensors.push_back(info + bytes_of(type) + bytes_of(offset));
    return *this;
  }

  GgufBuilder& with_data(std::string bytes) {
    data = std::move(bytes);
    return *this;
  }

  std::string file() const {
    std::string file = magic + bytes_of(version);
    file += bytes_of<std::uint64_t>(tensors.size() + static_cast<std::uint64_t>(extra_tensors));
    file += bytes_of<std::uint64_t>(values.size() + static_cast<std::uint64_t>(extra_values));
    for (const std::string& value : values) file += value;
    for (const std::string& tensor : tensors) file += tensor;
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }
};

}  // namespace plumb
