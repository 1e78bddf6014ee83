// Weights in int8 with a scale for each row, activations in uint8 with a scale and a zero point
// chosen for each call, products summed in int32: torch.ao's dynamic quantisation, one variant an
// engine.

#include <ATen/Context.h>
#include <ATen/ops/_choose_qparams_per_tensor.h>
#include <ATen/ops/_make_per_channel_quantized_tensor.h>

#include "harness/overloads.hpp"
#include "harness/quantised.hpp"
#include "harness/variants/quantise.hpp"

namespace plumb {
namespace {

/// Chooses the engine, which torch keeps in one place for the whole process.
class EngineGuard {
 public:
  explicit EngineGuard(at::QEngine engine) : before_(at::globalContext().qEngine()) {
    at::globalContext().setQEngine(engine);
  }
  ~EngineGuard() { at::globalContext().setQEngine(before_); }
  EngineGuard(const EngineGuard&) = delete;

 private:
  at::QEngine before_;
};

std::optional<std::string> without(at::QEngine engine) {
  const auto& engines = at::Context::supportedQEngines();
  if (std::find(engines.begin(), engines.end(), engine) != engines.end()) return std::nullopt;
  return "this torch has no quantised engine " + at::toString(engine);
}

c10::IValue call(const char* name, torch::jit::Stack stack) {
  operator_named(name)->callBoxed(stack);
  return stack.front();
}

/// The uint8 values that the kernel takes the activations for; scale and zero point are torch's
/// choice. oneDNN rounds after the zero point is added, which moves ties; the others before.
Rounding activation_of(at::QEngine engine, const at::Tensor& x) {
  const auto [scale, zero] = at::_choose_qparams_per_tensor(x);
  const at::Tensor places = engine == at::kONEDNN
                                ? (x * static_cast<float>(1 / scale) + zero).round()
                                : (x * (1 / static_cast<float>(scale))).round() + zero;
  const at::Tensor step = at::scalar_tensor(scale, at::kDouble);
  const at::Tensor integers = places.to(at::kDouble).clamp(0, 255) - zero;
  return {x.to(at::kDouble), integers * step, step};
}

QuantisedProduct multiply(at::QEngine engine, const at::Tensor& x, const at::Tensor& weight,
                          const at::Tensor& bias) {
  const EngineGuard guard(engine);
  const at::Tensor activation = x.to(at::kFloat);
  const IntegerWeight integers = symmetric_rows(weight.to(at::kFloat), 127);
  const at::Tensor quantised =
      at::_make_per_channel_quantized_tensor(integers.values, integers.scale.to(at::kDouble),
                                             at::zeros({weight.size(0)}, at::kLong), /*axis=*/0);
  c10::IValue wanted_bias;
  if (bias.defined()) wanted_bias = bias.to(at::kFloat);
  const c10::IValue packed = call("quantized::linear_prepack", {quantised, wanted_bias});
  const at::Tensor y = call("quantized::linear_dynamic", {activation, packed, false}).toTensor();
  return {y.to(x.scalar_type()), [=] { return activation_of(engine, activation); },
          roundings_of(weight, integers)};
}

QuantisedKernel kernel(const std::string& name, at::QEngine engine) {
  return {
      .name = name,
      .about = "linear layers in int8, activations quantised for each call, engine " +
               at::toString(engine),
      .unavailable = [engine] { return without(engine); },
      .refuses = [](const at::Tensor&, const at::Tensor&) { return std::nullopt; },
      .multiply = [engine](const at::Tensor& x, const at::Tensor& weight,
                           const at::Tensor& bias) { return multiply(engine, x, weight, bias); },
      .takes_bias = true};
}

const Register<Variant> x86{quantised_variant(kernel("int8-dynamic", at::kX86))};
const Register<Variant> onednn{quantised_variant(kernel("int8-dynamic-onednn", at::kONEDNN))};
const Register<Variant> fbgemm{quantised_variant(kernel("int8-dynamic-fbgemm", at::kFBGEMM))};

}  // namespace
}  // namespace plumb
