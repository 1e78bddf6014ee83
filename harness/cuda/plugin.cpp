// What the harness asks of CUDA, in a library that only a machine with a driver loads.

#include <cstring>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <ATen/ATen.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/version.h>

#include "harness/cuda/compare.hpp"
#include "harness/cuda/graph.hpp"
#include "harness/device_plugin.hpp"

namespace plumb::cuda {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// "13.2" of 13020
std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "9.26.0" of 92600
std::string dotted_dnn(long version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::string blas_version() {
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    if (cublasGetProperty(part, &number) != CUBLAS_STATUS_SUCCESS) return "";
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version;
}

using Stats = c10::CachingDeviceAllocator::DeviceStats;

const auto& sum_of(const c10::CachingAllocator::StatArray& figures) {
  return figures[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

class Cuda : public DevicePlugin {
 public:
  std::vector<DeviceInfo> devices() const override {
    int count = 0;
    check(cudaGetDeviceCount(&count));
    std::vector<DeviceInfo> devices;
    for (int i = 0; i < count; ++i) {
      cudaDeviceProp properties{};
      check(cudaGetDeviceProperties(&properties, i));
      devices.push_back(
          {.name = properties.name,
           .capability = std::to_string(properties.major) + "." + std::to_string(properties.minor),
           .memory_bytes = properties.totalGlobalMem});
    }
    return devices;
  }

  DeviceVersions versions() const override {
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    return {.driver = dotted(driver),
            .runtime = dotted(runtime),
            .blas = blas_version(),
            .dnn = dotted_dnn(at::detail::getCUDAHooks().versionRuntimeCuDNN())};
  }

  void synchronize() const override { c10::cuda::device_synchronize(); }

  double seconds_of(const std::function<void()>& work, int runs) const override {
    const c10::Stream stream = c10::cuda::getCurrentCUDAStream().unwrap();
    c10::Event begin(c10::DeviceType::CUDA, c10::EventFlag::BACKEND_DEFAULT);
    c10::Event end(c10::DeviceType::CUDA, c10::EventFlag::BACKEND_DEFAULT);
    begin.record(stream);
    for (int i = 0; i < runs; ++i) work();
    end.record(stream);
    end.synchronize();
    return begin.elapsedTime(end) / 1000 / runs;
  }

  DeviceMemory memory(int device) const override {
    const Stats stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index_of(device));
    const auto& allocated = sum_of(stats.allocated_bytes);
    const auto& reserved = sum_of(stats.reserved_bytes);
    const auto bytes = [](std::int64_t figure) { return static_cast<std::uint64_t>(figure); };
    return {.allocated = bytes(allocated.current),
            .reserved = bytes(reserved.current),
            .peak_allocated = bytes(allocated.peak),
            .peak_reserved = bytes(reserved.peak)};
  }

  void reset_peak_memory(int device) const override {
    c10::cuda::CUDACachingAllocator::resetPeakStats(index_of(device));
  }

  std::unique_ptr<Recording> record(const TensorProgram& program,
                                    const std::vector<at::Tensor>& example,
                                    const std::vector<at::Tensor>& inputs,
                                    int warm_ups) const override {
    return cuda::record(program, example, inputs, warm_ups);
  }

  Distances compare(Format format, const void* y, Expected expected, const double* sensitivity,
                    BoundTerms bound, std::size_t n) const override {
    Distances distances;
    check(compare_on_device(format, y, expected, sensitivity, bound, n,
                            c10::cuda::getCurrentCUDAStream().stream(), distances));
    return distances;
  }

 private:
  static c10::DeviceIndex index_of(int device) { return static_cast<c10::DeviceIndex>(device); }
};

}  // namespace
}  // namespace plumb::cuda

/// DevicePluginFactory
extern "C" const plumb::DevicePlugin* plumb_cuda_plugin(const char* torch_version) {
  static const plumb::cuda::Cuda plugin;
  return std::strcmp(torch_version, TORCH_VERSION) == 0 ? &plugin : nullptr;
}
