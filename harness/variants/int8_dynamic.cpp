// Weights in int8 with a scale for each row, activations in uint8 with a scale and a zero point
// chosen for each call, products summed in int32: torch.ao's dynamic quantisation, one variant an
// engine.

#include <ATen/Context.h>
#include <ATen/ops/_choose_qparams_per_tensor.h>
#include <ATen/ops/_make_per_channel_quantized_tensor.h>

#include "harness/overloads.hpp"
#include "harness/quantised.hpp"
#include "harness/trace.hpp"
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

at::Tensor product(at::QEngine engine, const at::Tensor& activation, const IntegerWeight& integers,
                   const at::Tensor& bias) {
  const EngineGuard guard(engine);
  const c10::IValue packed = [&] {
    const TracePause pause;
    const at::Tensor zeros = at::zeros({integers.values.size(0)}, at::kLong);
    const at::Tensor quantised = at::_make_per_channel_quantized_tensor(
        integers.values, integers.scale.to(at::kDouble), zeros, /*axis=*/0);
    c10::IValue wanted_bias;
    if (bias.defined()) wanted_bias = bias.to(at::kFloat);
    return call("quantized::linear_prepack", {quantised, wanted_bias});
  }();
  return call("quantized::linear_dynamic", {activation, packed, false}).toTensor();
}

/// The places in the grid that the kernel shows when it multiplies by one.
at::Tensor places_by_identity(at::QEngine engine, const at::Tensor& x, double scale) {
  const IntegerWeight identity = symmetric_rows(at::eye(x.size(1)), 127);
  return (product(engine, x, identity, {}).to(at::kDouble) / scale).round();
}

/// The uint8 values that the kernel takes the activations for; scale and zero point are torch's
/// choice. oneDNN rounds after the zero point is added, which moves ties; the others before. Next
/// to a tie it depends on oneDNN's kernel for the shape which way it goes: there it is asked.
Rounding activation_of(at::QEngine engine, const at::Tensor& x) {
  const auto [scale, zero] = at::_choose_qparams_per_tensor(x);
  const at::Tensor step = at::scalar_tensor(scale, at::kDouble);
  if (engine != at::kONEDNN) {
    const at::Tensor places = (x * (1 / static_cast<float>(scale))).round() + zero;
    return {x.to(at::kDouble), (places.to(at::kDouble).clamp(0, 255) - zero) * step, step};
  }
  const at::Tensor exact = x * static_cast<float>(1 / scale) + zero;
  at::Tensor places = exact.round().to(at::kDouble).clamp(0, 255) - zero;
  const at::Tensor is_tie = (exact - exact.floor() - 0.5).abs().lt(1e-4);
  if (is_tie.any().item<bool>()) {
    const at::Tensor shown = places_by_identity(engine, x, scale);
    places = at::where(is_tie.logical_and((shown - places).abs().le(1)), shown, places);
  }
  return {x.to(at::kDouble), places * step, step};
}

QuantisedProduct multiply(at::QEngine engine, const at::Tensor& x, const at::Tensor& weight,
                          const at::Tensor& bias) {
  const at::Tensor activation = x.to(at::kFloat);
  const IntegerWeight integers = symmetric_rows(weight.to(at::kFloat), 127);
  const at::Tensor y = product(engine, activation, integers, bias);
  return {y.to(x.scalar_type()), [=] { return activation_of(engine, activation); },
          roundings_of(weight, integers)};
}

QuantisedKernel kernel(const std::string& name, at::QEngine engine) {
  return {
      .name = name,
      .about = "linear layers in int8, activations quantised for each call, engine " +
               at::toString(engine),
      .unavailable = [engine] { return without(engine); },
      .multiply = [engine](const at::Tensor& x, const at::Tensor& weight,
                           const at::Tensor& bias) { return multiply(engine, x, weight, bias); },
      .takes_bias = true};
}

const Register<Variant> x86{quantised_variant(kernel("int8-dynamic", at::kX86))};
const Register<Variant> onednn{quantised_variant(kernel("int8-dynamic-onednn", at::kONEDNN))};
const Register<Variant> fbgemm{quantised_variant(kernel("int8-dynamic-fbgemm", at::kFBGEMM))};

}  // namespace
}  // namespace plumb
