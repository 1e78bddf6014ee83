#include "harness/writable_folder.hpp"

#include <atomic>
#include <string>
#include <system_error>
#include <unistd.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

struct Nearest {
  fs::path there;  // the longest part of a path that is there
  fs::file_status status;
  fs::path missing;  // the rest
};

/// Each folder is asked once: it may go, or come, while we look.
Nearest nearest(const fs::path& folder) {
  std::error_code ignored;
  Nearest found{.there = folder, .status = fs::status(folder, ignored), .missing = {}};
  while (!fs::exists(found.status) && found.there.has_relative_path()) {
    found.missing = found.there.filename() / found.missing;
    found.there = found.there.parent_path();
    found.status = fs::status(found.there, ignored);
  }
  return found;
}

std::string name_of_attempt() {
  static std::atomic<unsigned> count = 0;
  return ".plumb-try-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

}  // namespace

void check_folder_writable(const fs::path& folder) {
  const Nearest found = nearest(fs::absolute(folder).lexically_normal());
  if (!fs::is_directory(found.status)) {
    throw InputError("'" + folder.string() + "' cannot be a folder: '" + found.there.string() +
                     "' is a file");
  }
  const fs::path attempt = found.there / name_of_attempt();
  std::error_code why;
  fs::create_directories(attempt / found.missing, why);
  std::error_code ignored;
  fs::remove_all(attempt, ignored);
  if (why) throw InputError("cannot write into '" + folder.string() + "': " + why.message());
}

}  // namespace plumb
