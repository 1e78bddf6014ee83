#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare.hpp"
#include "harness/recording.hpp"

namespace plumb {

/// A device as its driver describes it.
struct DeviceInfo {
  std::string name;        // "NVIDIA H200"
  std::string capability;  // "9.0"
  std::uint64_t memory_bytes = 0;
};

/// "13.0", "9.19.0": what a device's results depend on besides torch.
struct DeviceVersions {
  std::string driver, runtime, blas, dnn;
};

/// Bytes of torch's caching allocator.
struct DeviceMemory {
  std::uint64_t allocated = 0, reserved = 0;
  std::uint64_t peak_allocated = 0, peak_reserved = 0;  // since they were last reset
};

/// Everything the harness asks of a device beyond torch's own operators. harness/cuda implements it
/// in a library of its own, so that this program needs no CUDA and starts as fast without. Its
/// methods throw what torch throws.
class DevicePlugin {
 public:
  virtual ~DevicePlugin() = default;

  /// Initialises the driver. Throws, in the driver's words, where it sees no device.
  virtual std::vector<DeviceInfo> devices() const = 0;
  virtual DeviceVersions versions() const = 0;

  /// Waits for all work. Throws what went wrong in it: no call says so at once.
  virtual void synchronize() const = 0;

  /// Seconds of one run, by events on the device around `runs` of them.
  virtual double seconds_of(const std::function<void()>& work, int runs) const = 0;

  virtual DeviceMemory memory(int device) const = 0;
  virtual void reset_peak_memory(int device) const = 0;

  /// Runs the program on `example` a few times, on a stream of its own, then records one run on
  /// `inputs` there. Throws where something in the program cannot be recorded.
  virtual std::unique_ptr<Recording> record(const TensorProgram& program,
                                            const std::vector<at::Tensor>& example,
                                            const std::vector<at::Tensor>& inputs,
                                            int warm_ups) const = 0;

  /// `compare` (harness/compare.hpp) of arrays in the device's memory; the same figures, but that
  /// the sums are added in another order.
  virtual Distances compare(Format format, const void* y, Expected expected,
                            const double* sensitivity, BoundTerms bound, std::size_t n) const = 0;
};

/// What the plugin exports as `plumb_cuda_plugin`; null where it was built for another torch.
using DevicePluginFactory = const DevicePlugin* (*)(const char* torch_version);

/// Why there is no CUDA device here, as far as can be told without initialising anything: no
/// driver, or a build without the plugin.
std::optional<std::string> cuda_missing();

/// What a variant that is of CUDA alone (`what`, a sentence) says on the CPU.
std::string without_cuda(const std::string& what);

/// Why no program can run on CUDA, in words; empty if one can. Loads the plugin and initialises the
/// driver. torch settles at its first question about CUDA whether there is any, so that this comes
/// first in the life of a process, and never in the main one.
std::optional<std::string> cuda_unavailable();

/// The plugin; null where CUDA is unavailable.
const DevicePlugin* cuda_plugin();

/// Why a device that was there can no longer be used in this process: after a fault every call
/// fails. Empty where none was loaded, or it still works.
std::optional<std::string> cuda_lost();

}  // namespace plumb
