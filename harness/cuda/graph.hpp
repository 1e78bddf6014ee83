#pragma once

#include <memory>
#include <vector>

#include "harness/recording.hpp"

namespace plumb::cuda {

/// DevicePlugin::record.
std::unique_ptr<Recording> record(const TensorProgram& program,
                                  const std::vector<at::Tensor>& example,
                                  const std::vector<at::Tensor>& inputs, int warm_ups);

}  // namespace plumb::cuda
