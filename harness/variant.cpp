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

Execution execute_on(c10::Device device, const Variant& variant, const Program& program,
                     const Inputs& owned) {
  if (device.is_cpu()) return variant.execute(program, owned, device);
  const c10::OptionalDeviceGuard current(device);
  const Inputs there = [&] {
    const TracePause unseen;  // the path is the program's
    return placed_on(device, owned);
  }();
  Execution execution = variant.execute(program, there, device);
  const TracePause unseen;
  for (Output& output : execution.outputs) {
    if (output.tensor.defined()) output.tensor = output.tensor.to(at::kCPU);
  }
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
  if (const auto why = cuda_unavailable()) return why;
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
