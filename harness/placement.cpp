#include "harness/placement.hpp"

#include <ATen/ATen.h>

namespace plumb {

at::Tensor memory_of(const at::Tensor& tensor) {
  return at::empty({0}, tensor.options().requires_grad(false))
      .set_(tensor.storage(), 0,
            {static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size())}, {1});
}

/// `clone` makes expanded tensors dense; overlapping memory is part of a case, so copy the storage.
at::Tensor copy_on(c10::Device device, const at::Tensor& tensor) {
  const auto moved = [device](const at::Tensor& from) {
    return from.device() == device ? from.clone() : from.to(device);
  };
  if (tensor.is_quantized() || tensor.is_sparse() || !tensor.has_storage()) return moved(tensor);
  at::Tensor copy = moved(memory_of(tensor))
                        .as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.is_neg()) copy = at::_neg_view(copy);
  if (tensor.is_conj()) copy = at::_conj(copy);
  return copy;
}

Inputs placed_on(c10::Device device, const Inputs& inputs) {
  return inputs.map([device](const std::string&, const at::Tensor& tensor) {
    return tensor.device() == device ? tensor : copy_on(device, tensor);
  });
}

}  // namespace plumb
