// Contiguous and strided tensors of the same values must give the same answer.

#include <ATen/ATen.h>

#include "harness/relation.hpp"

namespace plumb {
namespace {

/// The same values with a stride of two elements in the last dimension.
at::Tensor spread_out(const std::string&, const at::Tensor& tensor) {
  if (tensor.dim() == 0 || tensor.numel() == 0 || tensor.is_quantized()) return tensor.clone();
  auto sizes = tensor.sizes().vec();
  sizes.push_back(2);
  const at::Tensor view = at::zeros(sizes, tensor.options()).select(-1, 0);
  view.copy_(tensor);
  return view;
}

const Register<Relation> registered{{
    .name = "layout",
    .about = "strided inputs give the answer of contiguous ones",
    .again = [](const Variant& variant, const Program& program, const Inputs& inputs,
                c10::Device device) -> std::optional<Outputs> {
      return variant.execute(program, inputs.map(spread_out), device);
    },
}};

}  // namespace
}  // namespace plumb
