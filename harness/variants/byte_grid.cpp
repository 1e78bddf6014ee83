#include "harness/variants/byte_grid.hpp"

#include <ATen/ATen.h>

#include "harness/trace.hpp"

namespace plumb {

at::Tensor ByteGrid::quantised(const at::Tensor& x) const {
  return at::quantize_per_tensor(x, scale, zero, at::kQUInt8);
}

Rounding ByteGrid::rounding(const at::Tensor& x) const {
  const at::Tensor step = at::scalar_tensor(scale, at::kDouble);
  const at::Tensor places = quantised(x).int_repr().to(at::kDouble) - zero;
  return {x.to(at::kDouble), places * step, step};
}

ByteGrid byte_grid(const at::Tensor& x, bool seven_bits) {
  const auto [scale, zero] = at::_choose_qparams_per_tensor(x, seven_bits);
  return {scale, zero};
}

bool saturates_pairs(
    const std::function<at::Tensor(const at::Tensor& x, const IntegerWeight& weight)>& multiply) {
  const TracePause pause;
  constexpr std::int64_t kTerms = 64;
  const at::Tensor y =
      multiply(at::full({1, kTerms}, 255.0F), symmetric_rows(at::full({1, kTerms}, 127.0F), 127));
  return y.item<double>() < 0.99 * kTerms * 255 * 127;
}

}  // namespace plumb
