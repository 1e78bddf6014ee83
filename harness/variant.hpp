#pragma once

#include <functional>
#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "harness/program.hpp"
#include "harness/registry.hpp"

namespace plumb {

/// One way of executing a program. Registers itself; nothing else names it.
struct Variant {
  std::string name;
  std::string about;
  /// Why it cannot run this program on this device here, in words; empty when it can.
  std::function<std::optional<std::string>(const Program&, c10::Device)> unavailable;
  /// Runs on private copies of the inputs, already on `device`.
  std::function<Outputs(const Program&, const Inputs&, c10::Device)> execute;
};

/// Throws UsageError with the nearest name.
const Variant& variant_or_usage_error(const std::string& name);

/// Why no program can run on this device here ("libtorch sees no CUDA device"); empty if one can.
std::optional<std::string> device_unavailable(c10::Device device);

/// "cpu", "cuda", "cuda:1"; UsageError otherwise.
c10::Device device_or_usage_error(const std::string& name);

}  // namespace plumb
