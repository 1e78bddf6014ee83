// Convolutions in one to three dimensions with a constant weight.

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/quantised_site.hpp"

namespace plumb {
namespace {

bool covers(std::string_view op) {
  constexpr std::string_view kOps[] = {
      "aten::conv1d",           "aten::conv2d",           "aten::conv3d",
      "aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d",
      "aten::convolution",      "aten::_convolution",     "aten::_convolution_mode"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

bool is_transposed(const GraphCall& call) {
  return call.op().find("transpose") != std::string_view::npos ||
         (call.has("transposed") && call["transposed"].toBool());
}

/// One number stands for all dimensions.
std::vector<std::int64_t> for_each_dimension(const c10::IValue& value, std::size_t dimensions) {
  std::vector<std::int64_t> numbers = value.toIntVector();
  if (numbers.size() == 1) numbers.resize(dimensions, numbers.front());
  return numbers;
}

/// Empty for a padding "same" that adds more at one end than at the other.
std::optional<Geometry> geometry_of(const GraphCall& call, at::IntArrayRef window) {
  const std::size_t dimensions = window.size();
  Geometry geometry{.stride = for_each_dimension(call["stride"], dimensions),
                    .padding = std::vector<std::int64_t>(dimensions, 0),
                    .dilation = for_each_dimension(call["dilation"], dimensions),
                    .groups = call["groups"].toInt()};
  const c10::IValue& padding = call["padding"];
  if (!padding.isString()) geometry.padding = for_each_dimension(padding, dimensions);
  if (!padding.isString() || padding.toStringRef() == "valid") return geometry;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t added = geometry.dilation[i] * (window[i] - 1);
    if (added % 2 != 0) return std::nullopt;
    geometry.padding[i] = added / 2;
  }
  return geometry;
}

/// What a kernel promises: the convolution of what it is given.
Program promise_of(const Geometry& geometry) {
  Program program = operator_program(*operator_named("aten::convolution"));
  program.forward = [convolution = program.forward, geometry](const Inputs& in, Widening widening) {
    Inputs all = {{"bias", c10::IValue()}};
    for (const auto& [name, value] : in) all.set(name, value);
    all.set("stride", geometry.stride);
    all.set("padding", geometry.padding);
    all.set("dilation", geometry.dilation);
    all.set("transposed", false);
    all.set("output_padding", std::vector<std::int64_t>(geometry.stride.size(), 0));
    all.set("groups", geometry.groups);
    return convolution(all, widening);
  };
  return program;
}

/// Why the kernel cannot take it, in words; empty where it can.
std::string refusal_of(const GraphCall& call, const QuantisedKernel& kernel,
                       const std::optional<Geometry>& geometry) {
  if (!kernel.convolve) return kernel.name + " has no kernel for a convolution";
  if (is_transposed(call)) return kernel.name + " has no kernel for a transposed convolution";
  if (!geometry) return kernel.name + " pads both ends alike, which this padding 'same' does not";
  return refused_type(kernel, call.tensor("input"));
}

std::optional<Replacement> take_over(const GraphCall& call, const QuantisedKernel& kernel,
                                     std::string& refusal) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor weight = call.tensor("weight");
  const bool is_one = call.is_constant("weight", "input") && x.is_floating_point() &&
                      weight.dim() > 2 && x.numel() > 0 && weight.numel() > 0;
  if (!is_one) return std::nullopt;
  const auto geometry = geometry_of(call, weight.sizes().slice(2));
  refusal = refusal_of(call, kernel, geometry);
  if (!refusal.empty()) return std::nullopt;
  const at::Tensor bias = call.tensor("bias");
  const at::Tensor fused = bias.defined() && kernel.takes_bias ? bias.contiguous() : at::Tensor();
  const bool has_batch = x.dim() == weight.dim();
  const at::Tensor batch = has_batch ? x.contiguous() : x.unsqueeze(0).contiguous();
  const QuantisedProduct made = kernel.convolve(batch, weight.contiguous(), fused, *geometry);
  at::Tensor y = has_batch ? made.y : made.y.squeeze(0);
  if (bias.defined() && !fused.defined()) {
    std::vector<std::int64_t> by_channel(geometry->stride.size() + 1, 1);
    by_channel.front() = -1;
    y = y + bias.view(by_channel);
  }
  return Replacement{y, part_of(call, kernel, promise_of(*geometry), made, fused)};
}

const Register<QuantisedSite> registered{
    {.name = "convolutions", .covers = covers, .take_over = take_over}};

}  // namespace
}  // namespace plumb
