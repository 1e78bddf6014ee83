// Contiguous and strided tensors of the same values must give the same answer.

#include <ATen/ATen.h>

#include "harness/relation.hpp"

namespace plumb {
namespace {

bool stays(const at::Tensor& tensor) {
  return tensor.dim() == 0 || tensor.numel() == 0 || tensor.is_quantized();
}

/// The same values with a stride of two elements in the last dimension.
at::Tensor spread_out(const std::string&, const at::Tensor& tensor) {
  if (stays(tensor)) return tensor.clone();
  auto sizes = tensor.sizes().vec();
  sizes.push_back(2);
  const at::Tensor view = at::zeros(sizes, tensor.options()).select(-1, 0);
  view.copy_(tensor);
  return view;
}

at::Tensor densely(const std::string&, const at::Tensor& tensor) {
  return tensor.clone(at::MemoryFormat::Contiguous);
}

bool is_dense(const Inputs& inputs) {
  bool dense = true;
  inputs.each([&](const std::string&, const at::Tensor& t) { dense &= t.is_contiguous(); });
  return dense;
}

const Register<Relation> registered{{
    .name = "layout",
    .about = "strided and contiguous inputs give the same answer",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      // What is addressed by strides is another question in another layout.
      if (asked.base().starts_with("aten::as_strided")) return std::nullopt;
      return asked.run(asked.inputs.map(is_dense(asked.inputs) ? spread_out : densely));
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const bool dense = is_dense(asked.inputs);
          return Sketch{.runs = {for_each_tensor(asked.inputs, [&](const at::Tensor& tensor) {
                          if (!dense || stays(tensor)) return "{}.clone().contiguous()";
                          return "torch.stack([{}, torch.zeros_like({})], -1).select(-1, 0)";
                        })}};
        },
}};

}  // namespace
}  // namespace plumb
