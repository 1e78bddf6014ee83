// Weights in int8 with a scale for each row or output channel, activations in uint8 quantised for
// each call, float results: oneDNN's kernels, as the quantised graphs of torch.export call them
// ("PT2E", the x86 quantiser).

#include <ATen/ATen.h>

#include "harness/call.hpp"
#include "harness/overloads.hpp"
#include "harness/quantised.hpp"
#include "harness/trace.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/byte_grid.hpp"

namespace plumb {
namespace {

std::optional<std::string> unavailable() {
  for (const char* name : {"onednn::qlinear_pointwise", "onednn::qconv_pointwise"}) {
    if (!operator_named(name)) return std::string("this torch has no ") + name;
  }
  return std::nullopt;
}

/// What both kernels are told of their operands and their result: float32, nothing fused.
torch::jit::Stack operands(const at::Tensor& activation, const ByteGrid& grid,
                           const at::Tensor& packed, const IntegerWeight& integers,
                           const at::Tensor& bias) {
  const TracePause pause;
  return {activation,
          grid.scale,
          grid.zero,
          packed,
          integers.scale,
          at::zeros({integers.values.size(0)}, at::kInt),
          bias.defined() ? c10::IValue(bias.to(at::kFloat)) : c10::IValue()};
}

at::Tensor with_float_result(const char* name, torch::jit::Stack stack) {
  stack.insert(stack.end(), {1.0, std::int64_t{0}, at::kFloat, "none",
                             c10::List<std::optional<at::Scalar>>(), ""});
  return call_operator(name, std::move(stack)).toTensor();
}

at::Tensor product(const at::Tensor& x, const IntegerWeight& integers, const at::Tensor& bias,
                   const ByteGrid& grid) {
  const at::Tensor packed = [&] {
    const TracePause pause;
    return call_operator("onednn::qlinear_prepack", {integers.values, c10::IValue()}).toTensor();
  }();
  return with_float_result("onednn::qlinear_pointwise",
                           operands(grid.quantised(x).int_repr(), grid, packed, integers, bias));
}

bool needs_seven_bits() {
  static const bool needs = saturates_pairs([](const at::Tensor& x, const IntegerWeight& weight) {
    return product(x, weight, {}, byte_grid(x, false));
  });
  return needs;
}

QuantisedProduct multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor activation = x.to(at::kFloat);
  const IntegerWeight integers = symmetric_rows(weight.to(at::kFloat), 127);
  const ByteGrid grid = byte_grid(activation, needs_seven_bits());
  const at::Tensor y = product(activation, integers, bias, grid);
  return {y.to(x.scalar_type()), [=] { return grid.rounding(activation); },
          roundings_of(weight, integers)};
}

QuantisedProduct convolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                          const Geometry& geometry) {
  const at::Tensor activation = x.to(at::kFloat);
  const IntegerWeight integers = symmetric_channels(weight.to(at::kFloat), 127);
  const ByteGrid grid = byte_grid(activation, needs_seven_bits());
  const torch::jit::Stack shape = {geometry.stride, geometry.padding, geometry.dilation,
                                   geometry.groups};
  const at::Tensor packed = [&] {
    const TracePause pause;
    torch::jit::Stack stack = {integers.values, integers.scale, grid.scale, grid.zero};
    stack.insert(stack.end(), shape.begin(), shape.end());
    stack.emplace_back();  // any input
    return call_operator("onednn::qconv_prepack", std::move(stack)).toTensor();
  }();
  torch::jit::Stack stack =
      operands(grid.quantised(activation).int_repr(), grid, packed, integers, bias);
  stack.insert(stack.end(), shape.begin(), shape.end());
  const at::Tensor y = with_float_result("onednn::qconv_pointwise", std::move(stack));
  return {y.to(x.scalar_type()).contiguous(), [=] { return grid.rounding(activation); },
          roundings_of(weight, integers)};
}

/// Activations and weight as both kernels take them.
std::string sketch_of_operands() {
  return integers_in_python() + R"(
def operands(x, weight):
    scale_x, zero = torch._choose_qparams_per_tensor(x.float(), )" +
         (needs_seven_bits() ? "True" : "False") + R"()
    integers, scale = integers_of(weight.float().flatten(1), weight[0].numel(), 127)
    activation = torch.quantize_per_tensor(x.float(), scale_x, zero, torch.quint8).int_repr()
    return activation, scale_x, zero, integers.view(weight.shape), scale[:, 0].contiguous()

)";
}

const Register<VariantSketch> sketch{{.name = "int8-pt2e",
                                      .product =
                                          [] {
                                            return sketch_of_operands() + R"(
def product(x, weight, bias):
    activation, scale_x, zero, integers, scale = operands(x, weight)
    packed = torch.ops.onednn.qlinear_prepack(integers, None)
    y = torch.ops.onednn.qlinear_pointwise(
        activation, scale_x, zero, packed, scale, torch.zeros(len(scale), dtype=torch.int32),
        None if bias is None else bias.float(), 1.0, 0, torch.float32, "none", [], "")
    return y.to(x.dtype)
)";
                                          },
                                      .convolution =
                                          [] {
                                            return sketch_of_operands() + R"(
def convolution(x, weight, bias, stride, padding, dilation, groups):
    activation, scale_x, zero, integers, scale = operands(x, weight)
    packed = torch.ops.onednn.qconv_prepack(
        integers, scale, scale_x, zero, stride, padding, dilation, groups, None)
    y = torch.ops.onednn.qconv_pointwise(
        activation, scale_x, zero, packed, scale, torch.zeros(len(scale), dtype=torch.int32),
        None if bias is None else bias.float(), stride, padding, dilation, groups,
        1.0, 0, torch.float32, "none", [], "")
    return y.to(x.dtype)
)";
                                          },
                                      .takes_bias = true}};

const Register<Variant> registered{quantised_variant({
    .name = "int8-pt2e",
    .about = "linear layers and convolutions in int8 by oneDNN, as graphs of torch.export call it",
    .unavailable = unavailable,
    .multiply = multiply,
    .takes_bias = true,
    .convolve = convolve,
})};

}  // namespace
}  // namespace plumb
