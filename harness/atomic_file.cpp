#include "harness/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <fcntl.h>
#include <unistd.h>

#include "harness/errors.hpp"

namespace plumb {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw InputError("cannot write '" + path.string() + "': " + why);
}

std::string reason(int error) { return std::generic_category().message(error); }

/// Returns 0 or an errno.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Opens with `flags`, writes, closes; returns 0 or an errno.
int write_to(const fs::path& path, int flags, std::string_view bytes) {
  const int file = ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  const int written = write_all(file, bytes);
  const int closed = ::close(file) == 0 ? 0 : errno;
  return written != 0 ? written : closed;
}

/// A name beside `path` that no other call or process uses.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> count = 0;
  return path.parent_path() /
         (".plumb-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
}

void make_folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(path, "cannot make folder '" + folder.string() + "': " + error.message());
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path target = fs::canonical(path, error);
    if (error) fail(path, "it is a link to nothing");
    return write_file_atomically(target, bytes);
  }
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (const int why = write_to(path, 0, bytes)) fail(path, reason(why));
    return;
  }
  make_folder_of(path);
  const fs::path temporary = temporary_beside(path);
  int why = write_to(temporary, O_CREAT | O_EXCL, bytes);
  if (why == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) why = errno;
  if (why != 0) {
    if (why != EEXIST) ::unlink(temporary.c_str());
    fail(path, reason(why));
  }
}

}  // namespace plumb
