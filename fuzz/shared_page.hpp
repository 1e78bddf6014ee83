#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace plumb {

/// Memory that lies in a file: others see it at once, and it outlives a process that dies.
class SharedPage {
 public:
  /// The first `size` bytes of the file, made where there is none, zeros where it was shorter.
  /// Throws std::runtime_error, one sentence.
  SharedPage(const std::filesystem::path& file, std::size_t size);
  ~SharedPage();
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  std::span<std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<std::uint8_t> bytes_;
};

}  // namespace plumb
