#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace plumb {

/// A whole file mapped read-only for as long as the object lives. Nothing is read before it is
/// used. The file must not shrink meanwhile: the kernel answers that with SIGBUS.
class MappedFile {
 public:
  /// Throws InputError where `path` is missing, unreadable or not a regular file.
  static MappedFile open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MappedFile(std::filesystem::path path, std::span<const std::byte> bytes);
  void unmap();

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace plumb
