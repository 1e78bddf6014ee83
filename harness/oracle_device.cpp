#include "harness/oracle_device.hpp"

#include <utility>

namespace plumb {
namespace {
thread_local c10::Device chosen = c10::kCPU;

/// Elements from which copying to a device and back may cost less than what the device saves. Not
/// measured yet (docs/gpu.md).
constexpr std::int64_t kLarge = std::int64_t{1} << 18;
}  // namespace

c10::Device best_oracle_device(const Program& program, const Inputs& inputs, c10::Device device) {
  return program.grad.empty() && largest_numel(inputs) >= kLarge ? device : c10::kCPU;
}

OraclesOn::OraclesOn(c10::Device device) : before_(std::exchange(chosen, device)) {}

OraclesOn::~OraclesOn() { chosen = before_; }

c10::Device oracle_device() { return chosen; }

}  // namespace plumb
