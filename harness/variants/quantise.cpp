#include "harness/variants/quantise.hpp"

#include <ATen/ATen.h>

namespace plumb {

at::Tensor IntegerWeight::step() const {
  const at::Tensor wide = scale.to(at::kDouble);
  return group == 0 ? wide.unsqueeze(1) : wide.repeat_interleave(group, 1);
}

at::Tensor IntegerWeight::dequantised() const { return values.to(at::kDouble) * step(); }

IntegerWeight symmetric_groups(const at::Tensor& weight, std::int64_t group, double limit) {
  const at::Tensor blocks = weight.to(at::kFloat).unflatten(1, {-1, group});
  at::Tensor scale = (blocks.abs().amax(2) / limit).to(weight.scalar_type());
  scale = at::where(scale.eq(0), at::ones_like(scale), scale);
  const at::Tensor values =
      (blocks / scale.to(at::kFloat).unsqueeze(2)).round().clamp(-limit, limit).nan_to_num();
  return {values.flatten(1).to(at::kChar), scale, group};
}

IntegerWeight symmetric_rows(const at::Tensor& weight, double limit) {
  IntegerWeight rows = symmetric_groups(weight, weight.size(1), limit);
  rows.scale = rows.scale.squeeze(1);
  rows.group = 0;
  return rows;
}

std::function<Rounding()> roundings_of(const at::Tensor& weight, IntegerWeight integers) {
  return [weight, integers = std::move(integers)] {
    return Rounding{weight.to(at::kDouble), integers.dequantised(), integers.step()};
  };
}

}  // namespace plumb
