#include "harness/raised.hpp"

#include <cstring>
#include <new>
#include <string_view>

#include <c10/util/Exception.h>

namespace plumb {
namespace {

constexpr std::string_view kCpuAllocator = "DefaultCPUAllocator: ";

/// Not `what()` of torch's errors: that looks up a name for every frame of the stack, which takes
/// longer than most cases.
std::string plain_text(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
}

}  // namespace

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "an allocation failed";
  std::string text = plain_text(error);
  // The interpreter of TorchScript puts the place first and what was raised last.
  if (text.starts_with("The following operation failed in the TorchScript interpreter")) {
    while (text.ends_with('\n')) text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    if (text.starts_with("RuntimeError: ")) text = text.substr(std::strlen("RuntimeError: "));
  }
  text = text.substr(0, text.find('\n'));
  // "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: …"
  const std::size_t allocator = text.find(kCpuAllocator);
  return allocator == std::string::npos ? text : text.substr(allocator + kCpuAllocator.size());
}

bool is_missing_kernel(const std::exception& error) {
  return plain_text(error).find("not implemented for '") != std::string::npos;
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  return plain_text(error).find("DefaultCPUAllocator: can't allocate memory") != std::string::npos;
}

}  // namespace plumb
