#include "scenarios/attention/sdpa.hpp"

#include <algorithm>

#include <ATen/ATen.h>

namespace plumb {
namespace {

at::Tensor wide(const at::Tensor& tensor) {
  return tensor.is_floating_point() ? tensor.detach().to(at::kDouble) : tensor;
}

}  // namespace

at::Tensor Attention::run() const {
  return at::scaled_dot_product_attention(query, key, value, mask, dropout, causal, std::nullopt,
                                          grouped);
}

at::Tensor Attention::truth() const {
  Attention exact = *this;
  exact.query = wide(query);
  exact.key = wide(key);
  exact.value = wide(value);
  if (mask) exact.mask = wide(*mask);
  const OnlyBackends math({at::SDPBackend::math});
  return exact.run();
}

at::SDPBackend Attention::choice() const {
  return static_cast<at::SDPBackend>(
      at::_fused_sdp_choice(query, key, value, mask, dropout, causal, std::nullopt, grouped));
}

std::string backend_name(at::SDPBackend backend) {
  switch (backend) {
    case at::SDPBackend::math: return "math";
    case at::SDPBackend::flash_attention: return "flash";
    case at::SDPBackend::efficient_attention: return "efficient";
    case at::SDPBackend::cudnn_attention: return "cudnn";
    default: return "none";
  }
}

std::string attention_kernel(const std::vector<std::string>& path) {
  const auto kernel = std::find_if(path.begin(), path.end(), [](const std::string& name) {
    return name.starts_with("aten::_scaled_dot_product_");
  });
  return kernel == path.end() ? "" : *kernel;
}

bool is_math_kernel(const std::string& kernel) {
  return kernel.starts_with("aten::_scaled_dot_product_attention_math");
}

std::string why_not_flash(const Attention& attention) {
  const OnlyBackends flash({at::SDPBackend::flash_attention});
  return refusal_of_backends([&] { attention.choice(); }).value_or("");
}

}  // namespace plumb
