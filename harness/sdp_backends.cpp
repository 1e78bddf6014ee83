#include "harness/sdp_backends.hpp"

#include <algorithm>

#include <ATen/Context.h>
#include <c10/util/Exception.h>

namespace plumb {
namespace {

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

std::optional<std::string> refusal_of_backends(const std::function<void()>& call) {
  WarningCollector collector;
  const c10::WarningUtils::WarningHandlerGuard guard(&collector);
  const c10::WarningUtils::WarnAlways always;  // the reasons are given once per process otherwise
  try {
    call();
    return std::nullopt;
  } catch (const c10::Error& error) {
    const std::string said = error.what_without_backtrace();
    const bool refused = said.find("No available kernel") != std::string::npos ||
                         said.find("No viable backend") != std::string::npos;
    if (!refused) throw;
    return collector.reasons.empty() ? said : collector.reasons;
  }
}

}  // namespace plumb
