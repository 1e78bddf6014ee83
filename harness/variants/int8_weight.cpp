// Weights in int8 with a scale for each row, activations as they are: aten::_weight_int8pack_mm.

#include <ATen/ops/_weight_int8pack_mm.h>

#include "harness/quantised.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/quantise.hpp"

namespace plumb {
namespace {

QuantisedProduct multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor&) {
  const IntegerWeight integers = symmetric_rows(weight, 127);
  const at::Tensor y = at::_weight_int8pack_mm(x, integers.values, integers.scale);
  return {y, [x] { return unrounded(x); }, roundings_of(weight, integers)};
}

const Register<Variant> registered{quantised_variant({
    .name = "int8-weight",
    .about = "linear layers with weights in int8, activations as they are",
    .multiply = multiply,
})};

const Register<VariantSketch> sketch{{.name = "int8-weight", .product = [] {
                                        return kIntegersInPython + std::string(R"(
def product(x, weight, bias):
    integers, scale = integers_of(weight, weight.shape[1], 127)
    return torch._weight_int8pack_mm(x, integers, scale[:, 0].contiguous())
)");
                                      }}};

}  // namespace
}  // namespace plumb
