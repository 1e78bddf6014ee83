#pragma once

#include <cstdint>
#include <memory>

#include <c10/core/Device.h>

namespace plumb {

/// Counts the bytes that torch's allocators hand out on this thread while the object lives, for one
/// kind of device. What was live before does not count (on the CPU, nor does freeing it). Work that
/// an operator gives to other threads counts where those allocate: measure with one intra-op
/// thread. An inner meter hides its bytes from an outer one.
class MemoryMeter {
 public:
  explicit MemoryMeter(c10::DeviceType device = c10::DeviceType::CPU);
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// Bytes allocated and not yet freed.
  std::int64_t live() const;

  /// The greatest value that live() has had.
  std::int64_t peak() const;

 private:
  struct Ledger;
  struct Guard;
  std::shared_ptr<Ledger> ledger_;
  std::unique_ptr<Guard> guard_;
};

}  // namespace plumb
