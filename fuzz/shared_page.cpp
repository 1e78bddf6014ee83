#include "fuzz/shared_page.hpp"

#include <stdexcept>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace plumb {

SharedPage::SharedPage(const std::filesystem::path& file, std::size_t size) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  void* mapped = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(size)) == 0) {
    mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (fd >= 0) close(fd);
  if (mapped == MAP_FAILED) throw std::runtime_error("cannot write " + file.string());
  bytes_ = {static_cast<std::uint8_t*>(mapped), size};
}

SharedPage::~SharedPage() { munmap(bytes_.data(), bytes_.size()); }

}  // namespace plumb
