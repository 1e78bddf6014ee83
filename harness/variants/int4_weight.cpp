// Weights in int4 with a scale for each group of 32 columns, activations as they are:
// aten::_weight_int4pack_mm_for_cpu, which takes the integers shifted by 8 and rows in sixteens,
// and its twin for CUDA, aten::_weight_int4pack_mm, which multiplies weights rounded to the type of
// x.

#include <ATen/TensorOperators.h>
#include <ATen/ops/_convert_weight_to_int4pack.h>
#include <ATen/ops/_convert_weight_to_int4pack_for_cpu.h>
#include <ATen/ops/_weight_int4pack_mm.h>
#include <ATen/ops/_weight_int4pack_mm_for_cpu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include "harness/quantised.hpp"
#include "harness/trace.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/quantise.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kGroup = 32;
constexpr std::int64_t kRows = 16;

std::optional<std::string> refuses(const at::Tensor&, const at::Tensor& weight) {
  const std::int64_t rows = weight.size(0);
  const std::int64_t columns = weight.size(1);
  if (columns % kGroup == 0 && rows % kRows == 0) return std::nullopt;
  return "int4-weight takes rows in multiples of 16 and columns in multiples of 32, not " +
         std::to_string(rows) + "x" + std::to_string(columns);
}

/// As each device's own function packs them.
at::Tensor packed(const at::Tensor& values) {
  constexpr std::int64_t kInnerTiles = 2;
  const at::Tensor shifted = values.to(at::kInt) + 8;
  if (shifted.is_cpu()) return at::_convert_weight_to_int4pack_for_cpu(shifted, kInnerTiles);
  return at::_convert_weight_to_int4pack(pairs_of_fours(shifted), kInnerTiles);
}

QuantisedProduct multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor&) {
  const IntegerWeight integers = symmetric_groups(weight, kGroup, 7);
  const auto [matrix, scales] = [&] {
    const TracePause pause;
    const at::Tensor zeros = at::zeros_like(integers.scale);
    return std::pair(
        packed(integers.values),
        at::stack({integers.scale, zeros}, -1).transpose(0, 1).contiguous());  // [k/group, n, 2]
  }();
  const auto activation = [x] { return unrounded(x); };
  if (x.is_cpu()) {
    return {at::_weight_int4pack_mm_for_cpu(x, matrix, kGroup, scales), activation,
            roundings_of(weight, integers)};
  }
  return {at::_weight_int4pack_mm(x, matrix, kGroup, scales), activation,
          [weight, integers] { return rounded_again(weight, integers); }};
}

const Register<Variant> registered{quantised_variant({
    .name = "int4-weight",
    .about = "linear layers with weights in int4 by groups of 32, activations as they are",
    .runs_on_cuda = true,
    .refuses = refuses,
    .multiply = multiply,
})};

const Register<VariantSketch> sketch{{.name = "int4-weight", .product = [] {
                                        return integers_in_python() + R"(
def product(x, weight, bias):
    integers, scale = integers_of(weight, 32, 7)
    shifted = integers.int() + 8
    scales = torch.stack([scale, torch.zeros_like(scale)], -1).transpose(0, 1).contiguous()
    if x.is_cuda:
        pairs = (shifted[:, ::2] << 4 | shifted[:, 1::2]).to(torch.uint8)
        packed = torch._convert_weight_to_int4pack(pairs, 2)
        return torch._weight_int4pack_mm(x, packed, 32, scales)
    packed = torch._convert_weight_to_int4pack_for_cpu(shifted, 2)
    return torch._weight_int4pack_mm_for_cpu(x, packed, 32, scales)
)";
                                      }}};

}  // namespace
}  // namespace plumb
