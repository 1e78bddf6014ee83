// linear, mm, addmm and matmul with a constant matrix.

#include "harness/quantised_products.hpp"

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/quantised_site.hpp"

namespace plumb {
namespace {

constexpr Product kProducts[] = {{"aten::linear", "input", "weight", "bias", false},
                                 {"aten::mm", "self", "mat2", nullptr, true},
                                 {"aten::matmul", "self", "other", nullptr, true},
                                 {"aten::addmm", "mat1", "mat2", "self", true}};

/// beta·bias + alpha·x·w with other factors than one.
bool is_scaled(const GraphCall& call) {
  return call.has("beta") &&
         (call["beta"].toScalar().toDouble() != 1 || call["alpha"].toScalar().toDouble() != 1);
}

std::optional<Replacement> take_over(const GraphCall& call, const QuantisedKernel& kernel,
                                     std::string& refusal) {
  const Product& product = *product_of(call.op());
  if (!call.is_constant(product.weight, product.x) || is_scaled(call)) return std::nullopt;
  const at::Tensor x = call.tensor(product.x);
  at::Tensor weight = call.tensor(product.weight);
  if (weight.dim() != 2 || x.dim() < 1 || !x.is_floating_point()) return std::nullopt;
  if (product.is_transposed) weight = weight.t();
  if (x.size(-1) != weight.size(1) || x.numel() == 0 || weight.numel() == 0) return std::nullopt;
  refusal = refused_type(kernel, x);
  if (!refusal.empty()) return std::nullopt;
  const at::Tensor rows = x.reshape({-1, x.size(-1)}).contiguous();
  weight = weight.contiguous();
  if (kernel.refuses) refusal = kernel.refuses(rows, weight).value_or("");
  if (!refusal.empty()) return std::nullopt;
  const at::Tensor bias = product.bias == nullptr ? at::Tensor() : call.tensor(product.bias);
  const bool is_fused = bias.defined() && bias.dim() == 1 && kernel.takes_bias;
  const at::Tensor fused = is_fused ? bias.contiguous() : at::Tensor();
  const QuantisedProduct made = kernel.multiply(rows, weight, fused);
  auto sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return Replacement{
      (bias.defined() && !is_fused ? made.y + bias : made.y).reshape(sizes),
      part_of(call, kernel, operator_program(*operator_named("aten::linear")), made, fused)};
}

const Register<QuantisedSite> registered{
    {.name = "products",
     .covers = [](std::string_view op) { return product_of(op) != nullptr; },
     .take_over = take_over}};

}  // namespace

const Product* product_of(std::string_view op) {
  const auto* found = std::find_if(std::begin(kProducts), std::end(kProducts),
                                   [&](const Product& product) { return product.op == op; });
  return found == std::end(kProducts) ? nullptr : found;
}

}  // namespace plumb
