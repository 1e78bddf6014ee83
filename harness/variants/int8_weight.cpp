// Weights in int8 with a scale for each row, activations as they are: aten::_weight_int8pack_mm.

#include <ATen/ops/_weight_int8pack_mm.h>

#include "harness/quantised.hpp"
#include "harness/trace.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/quantise.hpp"

namespace plumb {
namespace {

QuantisedProduct multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor&) {
  IntegerWeight integers = symmetric_rows(weight, 127);
  if (x.is_cuda()) {  // its kernel takes scales of this type alone
    const TracePause pause;
    integers.scale = integers.scale.to(at::kFloat);
  }
  const at::Tensor y = at::_weight_int8pack_mm(x, integers.values, integers.scale);
  return {y, [x] { return unrounded(x); }, roundings_of(weight, integers)};
}

const Register<Variant> registered{quantised_variant({
    .name = "int8-weight",
    .about = "linear layers with weights in int8, activations as they are",
    .runs_on_cuda = true,
    .multiply = multiply,
    .sequential_on_cuda = true,
})};

const Register<VariantSketch> sketch{{.name = "int8-weight", .product = [] {
                                        return integers_in_python() + R"(
def product(x, weight, bias):
    integers, scale = integers_of(weight, weight.shape[1], 127)
    scale = scale[:, 0].float() if x.is_cuda else scale[:, 0]
    return torch._weight_int8pack_mm(x, integers, scale.contiguous())
)";
                                      }}};

}  // namespace
}  // namespace plumb
