#include "scenarios/attention/sdpa.hpp"

#include <algorithm>

#include <ATen/ATen.h>

namespace plumb {
namespace {

at::Tensor wide(const at::Tensor& tensor) {
  return tensor.is_floating_point() ? tensor.detach().to(at::kDouble) : tensor;
}

/// Keeps warnings instead of printing them.
class WarningCollector : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    std::string text = warning.msg();
    text = text.substr(0, text.find(" (function "));  // the rest is a place in torch's source
    if (text.ends_with("kernel not used because:")) return;
    if (!reasons.empty()) reasons += " ";
    reasons += text;
  }

  std::string reasons;
};

void allow(bool flash, bool efficient, bool cudnn, bool math) {
  at::globalContext().setSDPUseFlash(flash);
  at::globalContext().setSDPUseMemEfficient(efficient);
  at::globalContext().setSDPUseCuDNN(cudnn);
  at::globalContext().setSDPUseMath(math);
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
  WarningCollector collector;
  const c10::WarningUtils::WarningHandlerGuard guard(&collector);
  const c10::WarningUtils::WarnAlways always;  // the reasons are given once per process otherwise
  try {
    attention.choice();
  } catch (const c10::Error&) {
    // "No available kernel": the warnings before it are the answer
  }
  return collector.reasons;
}

OnlyBackends::OnlyBackends(const std::vector<at::SDPBackend>& allowed)
    : flash_(at::globalContext().userEnabledFlashSDP()),
      efficient_(at::globalContext().userEnabledMemEfficientSDP()),
      cudnn_(at::globalContext().userEnabledCuDNNSDP()),
      math_(at::globalContext().userEnabledMathSDP()) {
  const auto has = [&](at::SDPBackend backend) {
    return std::find(allowed.begin(), allowed.end(), backend) != allowed.end();
  };
  allow(has(at::SDPBackend::flash_attention), has(at::SDPBackend::efficient_attention),
        has(at::SDPBackend::cudnn_attention), has(at::SDPBackend::math));
}

OnlyBackends::~OnlyBackends() { allow(flash_, efficient_, cudnn_, math_); }

}  // namespace plumb
