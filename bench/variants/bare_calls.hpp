#pragma once

#include <functional>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

namespace plumb::bench {

/// y = x·weightᵀ by the kernel of each variant as a person would call it who has made everything
/// ready: scripted, compiled, weights quantised and packed. By name of the variant.
std::map<std::string, std::function<at::Tensor()>> bare_calls(const at::Tensor& x,
                                                              const at::Tensor& weight);

}  // namespace plumb::bench
