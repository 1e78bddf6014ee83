// Weights in int4 with a scale for each group of 32 columns, activations as they are:
// aten::_weight_int4pack_mm_for_cpu, which takes the integers shifted by 8 and rows in sixteens.

#include <ATen/ops/_convert_weight_to_int4pack_for_cpu.h>
#include <ATen/ops/_weight_int4pack_mm_for_cpu.h>
#include <ATen/ops/stack.h>

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

QuantisedProduct multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor&) {
  const IntegerWeight integers = symmetric_groups(weight, kGroup, 7);
  const auto [packed, scales] = [&] {
    const TracePause pause;
    const at::Tensor zeros = at::zeros_like(integers.scale);
    return std::pair(
        at::_convert_weight_to_int4pack_for_cpu(integers.values.to(at::kInt) + 8,
                                                /*innerKTiles=*/2),
        at::stack({integers.scale, zeros}, -1).transpose(0, 1).contiguous());  // [k/group, n, 2]
  }();
  const at::Tensor y = at::_weight_int4pack_mm_for_cpu(x, packed, kGroup, scales);
  return {y, [x] { return unrounded(x); }, roundings_of(weight, integers)};
}

const Register<Variant> registered{quantised_variant({
    .name = "int4-weight",
    .about = "linear layers with weights in int4 by groups of 32, activations as they are",
    .refuses = refuses,
    .multiply = multiply,
})};

const Register<VariantSketch> sketch{{.name = "int4-weight", .product = [] {
                                        return kIntegersInPython + std::string(R"(
def product(x, weight, bias):
    integers, scale = integers_of(weight, 32, 7)
    packed = torch._convert_weight_to_int4pack_for_cpu(integers.int() + 8, 2)
    scales = torch.stack([scale, torch.zeros_like(scale)], -1).transpose(0, 1).contiguous()
    return torch._weight_int4pack_mm_for_cpu(x, packed, 32, scales)
)");
                                      }}};

}  // namespace
}  // namespace plumb
