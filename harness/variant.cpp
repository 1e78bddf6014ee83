#include "harness/variant.hpp"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include "harness/device_plugin.hpp"
#include "harness/errors.hpp"
#include "harness/placement.hpp"
#include "harness/trace.hpp"

namespace plumb {

Rounding unrounded(const at::Tensor& operand) {
  const at::Tensor wide = operand.to(at::kDouble);
  return {wide, wide, at::zeros({}, wide.options())};
}

namespace {

void bring_home(Outputs& outputs) {
  for (Output& output : outputs) {
    if (output.tensor.defined()) output.tensor = output.tensor.to(at::kCPU);
  }
}

/// Its operands are still made when they are asked for.
void bring_home(Part& part) {
  bring_home(part.outputs);
  part.operands = [made = std::move(part.operands)] {
    auto operands = made();
    for (auto& [name, rounding] : operands) {
      for (at::Tensor* tensor : {&rounding.value, &rounding.rounded, &rounding.step}) {
        *tensor = tensor->to(at::kCPU);
      }
    }
    return operands;
  };
}

/// With what it took there.
Execution measured(c10::Device device, const std::function<Execution()>& execute) {
  const DevicePlugin& plugin = *cuda_plugin();
  const int index = device.has_index() ? device.index() : 0;
  const std::uint64_t held = plugin.memory(index).allocated;
  plugin.reset_peak_memory(index);
  Execution execution;
  const double seconds = plugin.seconds_of([&] { execution = execute(); }, 1);
  execution.device_seconds = seconds;
  execution.device_bytes = plugin.memory(index).peak_allocated - held;
  return execution;
}

}  // namespace

Execution execute_on(c10::Device device, const Variant& variant, const Program& program,
                     const Inputs& owned) {
  if (device.is_cpu()) return variant.execute(program, owned, device);
  const c10::OptionalDeviceGuard current(device);
  const Inputs there = [&] {
    const TracePause unseen;  // the path is the program's
    return placed_on(device, owned);
  }();
  Execution execution = measured(device, [&] { return variant.execute(program, there, device); });
  const TracePause unseen;
  bring_home(execution.outputs);
  for (Part& part : execution.parts) bring_home(part);
  cuda_plugin()->synchronize();  // an error of the device would else be that of a later program
  return execution;
}

const Variant& variant_or_usage_error(const std::string& name) {
  const auto& variants = Registry<Variant>::instance();
  if (const Variant* variant = variants.find(name)) return *variant;
  throw UsageError("unknown variant '" + name + "'" + suggestion(name, variants.names()));
}

std::optional<std::string> device_unavailable(c10::Device device) {
  if (device.is_cpu() || device.is_meta()) return std::nullopt;
  if (!device.is_cuda()) return "there is no " + device.str() + " here";
  if (auto why = cuda_unavailable()) return why;
  const std::size_t count = cuda_plugin()->devices().size();
  if (!device.has_index() || static_cast<std::size_t>(device.index()) < count) return std::nullopt;
  return "the driver sees no " + device.str() + ", only " + std::to_string(count);
}

c10::Device device_or_usage_error(const std::string& name) {
  try {
    const c10::Device device(name);
    if (device.is_cpu()) return c10::kCPU;
    if (device.is_cuda()) return device;
  } catch (const c10::Error&) {  // as for any other word
  }
  throw UsageError("unknown device '" + name + "'; expected cpu, cuda or cuda:N");
}

}  // namespace plumb
