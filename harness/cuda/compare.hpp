#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

#include "harness/compare.hpp"

namespace plumb::cuda {

/// DevicePlugin::compare: all pointers are the device's. Waits for the stream.
cudaError_t compare_on_device(Format format, const void* y, Expected expected,
                              const double* sensitivity, BoundTerms bound, std::size_t n,
                              cudaStream_t stream, Distances& distances);

}  // namespace plumb::cuda
