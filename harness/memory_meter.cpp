#include "harness/memory_meter.hpp"

#include <algorithm>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace plumb {

/// torch tells its profiler of every allocation, with the freed ones as negative sizes.
struct MemoryMeter::Ledger : c10::MemoryReportingInfoBase {
  explicit Ledger(c10::DeviceType device) : device(device) {}

  void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t,
                         c10::Device where) override {
    if (where.type() != device) return;
    live += size;
    peak = std::max(peak, live);
  }

  bool memoryProfilingEnabled() const override { return true; }

  c10::DeviceType device;
  std::int64_t live = 0;
  std::int64_t peak = 0;
};

struct MemoryMeter::Guard {
  explicit Guard(std::shared_ptr<Ledger> ledger)
      : guard(c10::DebugInfoKind::PROFILER_STATE, std::move(ledger)) {}
  c10::DebugInfoGuard guard;
};

MemoryMeter::MemoryMeter(c10::DeviceType device)
    : ledger_(std::make_shared<Ledger>(device)), guard_(std::make_unique<Guard>(ledger_)) {}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::live() const { return ledger_->live; }
std::int64_t MemoryMeter::peak() const { return ledger_->peak; }

}  // namespace plumb
