#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace plumb {

/// A file with the given content that exists for as long as the object does.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& name = "file") {
    static int serial = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("plumb-test-" + std::to_string(::getpid()) + "-" + std::to_string(serial++));
    std::filesystem::create_directory(folder_);
    path_ = folder_ / name;
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

/// The bytes of a value as they stand in a little-endian file.
template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace plumb
