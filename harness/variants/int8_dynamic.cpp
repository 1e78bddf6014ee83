// Weights in int8 with a scale for each row or output channel, activations in uint8 with a scale
// and a zero point chosen for each call, products summed in int32: torch.ao's dynamic quantisation,
// one variant an engine.

#include <map>

#include <ATen/Context.h>
#include <ATen/ops/_make_per_channel_quantized_tensor.h>

#include "harness/call.hpp"
#include "harness/quantised.hpp"
#include "harness/trace.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/byte_grid.hpp"
#include "harness/variants/packed_weights.hpp"

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

/// A weight and bias as the engine wants them, by "quantized::linear_prepack" and its like.
c10::IValue packed(const std::string& prepack, const IntegerWeight& integers,
                   const at::Tensor& bias, const torch::jit::Stack& geometry = {}) {
  const TracePause pause;
  const at::Tensor zeros = at::zeros({integers.values.size(0)}, at::kLong);
  torch::jit::Stack stack = {
      at::_make_per_channel_quantized_tensor(integers.values, integers.scale.to(at::kDouble), zeros,
                                             /*axis=*/0),
      bias.defined() ? c10::IValue(bias.to(at::kFloat)) : c10::IValue()};
  stack.insert(stack.end(), geometry.begin(), geometry.end());
  return call_operator(prepack, std::move(stack));
}

struct LinearWeight {
  IntegerWeight integers;
  c10::IValue packed;
};

LinearWeight linear_weight(at::QEngine engine, IntegerWeight integers, const at::Tensor& bias) {
  const EngineGuard guard(engine);
  c10::IValue constant = packed("quantized::linear_prepack", integers, bias);
  return {std::move(integers), std::move(constant)};
}

/// Of a float weight; an engine's own where it was packed before.
LinearWeight linear_weight_of(at::QEngine engine, const at::Tensor& weight,
                              const at::Tensor& bias) {
  thread_local std::map<at::QEngine, PackedWeights<LinearWeight>> known;
  return known[engine].of(weight, bias, [&] {
    return linear_weight(engine, symmetric_rows(weight.to(at::kFloat), 127), bias);
  });
}

at::Tensor product(at::QEngine engine, const at::Tensor& activation, const LinearWeight& weight,
                   bool seven_bits) {
  const EngineGuard guard(engine);
  return call_operator("quantized::linear_dynamic", {activation, weight.packed, seven_bits})
      .toTensor();
}

/// Found out once for each engine.
bool needs_seven_bits(at::QEngine engine) {
  static std::map<at::QEngine, bool> known;
  const auto place = known.find(engine);
  if (place != known.end()) return place->second;
  const auto eight_bits = [engine](const at::Tensor& x, const IntegerWeight& weight) {
    return product(engine, x, linear_weight(engine, weight, {}), false);
  };
  return known[engine] = saturates_pairs(eight_bits);
}

/// The places in the grid that the kernel shows when it multiplies by one.
at::Tensor places_by_identity(at::QEngine engine, const at::Tensor& x, double scale) {
  const LinearWeight identity = linear_weight(engine, symmetric_rows(at::eye(x.size(1)), 127), {});
  const at::Tensor shown = product(engine, x, identity, needs_seven_bits(engine));
  return (shown.to(at::kDouble) / scale).round();
}

/// The uint8 values that a product takes the activations for; scale and zero point are torch's
/// choice. oneDNN rounds after the zero point is added, which moves ties; the others before. Next
/// to a tie it depends on the kernel for the shape, and on torch's version, which way it goes:
/// there it is asked.
Rounding activation_of(at::QEngine engine, const at::Tensor& x) {
  const auto [scale, zero] = byte_grid(x, needs_seven_bits(engine));
  const at::Tensor step = at::scalar_tensor(scale, at::kDouble);
  const bool is_onednn = engine == at::kONEDNN;
  const float inverse = is_onednn ? static_cast<float>(1 / scale) : 1 / static_cast<float>(scale);
  const at::Tensor exact = x * inverse + (is_onednn ? zero : 0);
  at::Tensor places = exact.round().to(at::kDouble) + (is_onednn ? 0 : zero);
  places = places.clamp(0, 255) - zero;
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
  const LinearWeight constant = linear_weight_of(engine, weight, bias);
  const at::Tensor y = product(engine, activation, constant, needs_seven_bits(engine));
  return {y.to(x.scalar_type()), [=] { return activation_of(engine, activation); },
          roundings_of(weight, constant.integers)};
}

QuantisedProduct convolve(at::QEngine engine, const at::Tensor& x, const at::Tensor& weight,
                          const at::Tensor& bias, const Geometry& geometry) {
  const bool seven_bits = needs_seven_bits(engine);
  const at::Tensor activation = x.to(at::kFloat);
  const IntegerWeight integers = symmetric_channels(weight.to(at::kFloat), 127);
  const std::string name =
      "quantized::conv" + std::to_string(geometry.stride.size()) + "d_";  // conv1d_, conv2d_, …
  const EngineGuard guard(engine);
  const c10::IValue constant =
      packed(name + "prepack", integers, bias,
             {geometry.stride, geometry.padding, geometry.dilation, geometry.groups});
  const at::Tensor y =
      call_operator(name + "dynamic", {activation, constant, seven_bits}).toTensor();
  return {y.to(x.scalar_type()),
          [=] { return byte_grid(activation, seven_bits).rounding(activation); },
          roundings_of(weight, integers)};
}

QuantisedKernel kernel(const std::string& name, at::QEngine engine) {
  return {
      .name = name,
      .about =
          "linear layers and convolutions in int8, activations quantised for each call, engine " +
          at::toString(engine),
      .unavailable = [engine] { return without(engine); },
      .multiply = [engine](const at::Tensor& x, const at::Tensor& weight,
                           const at::Tensor& bias) { return multiply(engine, x, weight, bias); },
      .takes_bias = true,
      .convolve =
          [engine](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                   const Geometry& geometry) {
            return convolve(engine, x, weight, bias, geometry);
          }};
}

/// What both calls share: the engine, and the weight by output channel.
std::string sketch_of_weight(at::QEngine engine) {
  std::string name = at::toString(engine);
  std::transform(name.begin(), name.end(), name.begin(), ::tolower);
  return integers_in_python() + R"(
def quantised_weight(weight):
    torch.backends.quantized.engine = ")" +
         name + R"("
    integers, scale = integers_of(weight.float().flatten(1), weight[0].numel(), 127)
    return torch._make_per_channel_quantized_tensor(
        integers.view(weight.shape), scale[:, 0].double(),
        torch.zeros(len(scale), dtype=torch.int64), 0)

)";
}

std::string reduce_range(at::QEngine engine) {
  return std::string(", reduce_range=") + (needs_seven_bits(engine) ? "True" : "False");
}

VariantSketch sketch(const std::string& name, at::QEngine engine) {
  return {.name = name,
          .product =
              [engine] {
                return sketch_of_weight(engine) + R"(
def product(x, weight, bias):
    packed = torch.ops.quantized.linear_prepack(
        quantised_weight(weight), None if bias is None else bias.float())
    return torch.ops.quantized.linear_dynamic(x.float(), packed)" +
                       reduce_range(engine) + R"().to(x.dtype)
)";
              },
          .convolution =
              [engine] {
                return sketch_of_weight(engine) + R"(
def convolution(x, weight, bias, stride, padding, dilation, groups):
    name = f"conv{weight.dim() - 2}d_"
    packed = getattr(torch.ops.quantized, name + "prepack")(
        quantised_weight(weight), None if bias is None else bias.float(), stride, padding,
        dilation, groups)
    return getattr(torch.ops.quantized, name + "dynamic")(x.float(), packed)" +
                       reduce_range(engine) + R"().to(x.dtype)
)";
              },
          .takes_bias = true};
}

const Register<VariantSketch> x86_sketch{sketch("int8-dynamic", at::kX86)};
const Register<VariantSketch> onednn_sketch{sketch("int8-dynamic-onednn", at::kONEDNN)};
const Register<VariantSketch> fbgemm_sketch{sketch("int8-dynamic-fbgemm", at::kFBGEMM)};
const Register<Variant> x86{quantised_variant(kernel("int8-dynamic", at::kX86))};
const Register<Variant> onednn{quantised_variant(kernel("int8-dynamic-onednn", at::kONEDNN))};
const Register<Variant> fbgemm{quantised_variant(kernel("int8-dynamic-fbgemm", at::kFBGEMM))};

}  // namespace
}  // namespace plumb
