#include "harness/variant.hpp"

#include <ATen/Context.h>

#include "harness/errors.hpp"

namespace plumb {

Rounding unrounded(const at::Tensor& operand) {
  const at::Tensor wide = operand.to(at::kDouble);
  return {wide, wide, at::zeros({}, wide.options())};
}

const Variant& variant_or_usage_error(const std::string& name) {
  const auto& variants = Registry<Variant>::instance();
  if (const Variant* variant = variants.find(name)) return *variant;
  throw UsageError("unknown variant '" + name + "'" + suggestion(name, variants.names()));
}

std::optional<std::string> device_unavailable(c10::Device device) {
  if (device.is_cpu() || device.is_meta()) return std::nullopt;
  if (device.is_cuda() && at::hasCUDA()) return std::nullopt;
  return "libtorch sees no " + device.str() + " device";
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
