#include "harness/device_plugin.hpp"

#include <cstdlib>
#include <dlfcn.h>

#include <ATen/Context.h>
#include <torch/version.h>

#include "harness/build_info.hpp"
#include "harness/plugin.hpp"
#include "harness/raised.hpp"

namespace plumb {
namespace {

/// The driver may be asked for without being initialised.
bool has_driver() {
  static const bool found = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return found;
}

/// What came of loading the plugin, once in a process.
struct Loaded {
  const DevicePlugin* plugin = nullptr;
  std::string why;
};

std::string why_no_device(const DevicePlugin& plugin) {
  try {
    if (plugin.devices().empty()) return "the driver sees no device";
  } catch (const std::exception& error) {
    return "the driver sees no device: " + message_of(error);
  }
  if (at::hasCUDA()) return "";
  return "torch was asked for CUDA in this process before the plugin was loaded";
}

/// A plugin that is named explicitly may be there although none was built.
std::string why_not_built() {
  if (kNoCudaPlugin.empty() || std::getenv("PLUMB_PLUGINS") != nullptr) return "";
  return "this build has no CUDA plugin: " + std::string(kNoCudaPlugin);
}

Loaded load() {
  if (const auto why = cuda_missing()) return {nullptr, *why};
  const Plugin found = load_plugin("plumb_cuda", "plumb_cuda_plugin");
  if (found.symbol == nullptr) return {nullptr, "the CUDA plugin cannot be loaded: " + found.why};
  const auto* plugin = reinterpret_cast<DevicePluginFactory>(found.symbol)(TORCH_VERSION);
  if (plugin == nullptr) return {nullptr, "the CUDA plugin was built for another torch"};
  const std::string why = why_no_device(*plugin);
  return {why.empty() ? plugin : nullptr, why};
}

/// Where the plugin is, once it was loaded.
const DevicePlugin* in_use = nullptr;

const Loaded& loaded() {
  static const Loaded once = [] {
    const Loaded came = load();
    in_use = came.plugin;
    return came;
  }();
  return once;
}

}  // namespace

std::optional<std::string> cuda_missing() {
  if (!has_driver()) return "no CUDA driver on this machine (libcuda.so.1)";
  const std::string why = why_not_built();
  return why.empty() ? std::nullopt : std::optional(why);
}

std::string without_cuda(const std::string& what) {
  const auto why = cuda_missing();
  return what + (why ? ": " + *why : "; give --device cuda");
}

std::optional<std::string> cuda_unavailable() {
  if (loaded().plugin != nullptr) return std::nullopt;
  return loaded().why;
}

const DevicePlugin* cuda_plugin() { return loaded().plugin; }

std::optional<std::string> cuda_lost() {
  if (in_use == nullptr) return std::nullopt;
  try {
    in_use->synchronize();
    return std::nullopt;
  } catch (const std::exception& error) {
    return "the device cannot be used any more: " + message_of(error);
  }
}

}  // namespace plumb
