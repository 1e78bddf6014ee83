#include "harness/variants/quantise.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "harness/trace.hpp"

namespace plumb {

at::Tensor IntegerWeight::step() const {
  const at::Tensor wide = scale.to(at::kDouble);
  if (group != 0) return wide.repeat_interleave(group, 1);
  std::vector<std::int64_t> by_row(static_cast<std::size_t>(values.dim()), 1);
  by_row.front() = -1;
  return wide.view(by_row);
}

at::Tensor IntegerWeight::dequantised() const { return values.to(at::kDouble) * step(); }

IntegerWeight symmetric_groups(const at::Tensor& weight, std::int64_t group, double limit) {
  const TracePause pause;
  const at::Tensor blocks = weight.to(at::kFloat).unflatten(1, {-1, group});
  at::Tensor scale = (blocks.abs().amax(2) / limit).to(weight.scalar_type());
  // A half type may round a scale down, by much where it is subnormal: then the greatest value
  // would lie beyond the limit.
  const at::Tensor above =
      scale.scalar_type() == at::kFloat
          ? at::nextafter(scale, at::full_like(scale, INFINITY))
          : (scale.view(at::kShort) + 1).view(scale.scalar_type());  // the next positive one
  const at::Tensor too_small = (scale.to(at::kFloat) * limit).lt(blocks.abs().amax(2));
  scale = at::where(too_small, above, scale);
  scale = at::where(scale.eq(0), at::ones_like(scale), scale);
  const at::Tensor values =
      (blocks / scale.to(at::kFloat).unsqueeze(2)).round().clamp(-limit, limit).nan_to_num();
  return {values.flatten(1).to(at::kChar), scale, group};
}

IntegerWeight symmetric_rows(const at::Tensor& weight, double limit) {
  const TracePause pause;
  IntegerWeight rows = symmetric_groups(weight, weight.size(1), limit);
  rows.scale = rows.scale.squeeze(1);
  rows.group = 0;
  return rows;
}

IntegerWeight symmetric_channels(const at::Tensor& weight, double limit) {
  const TracePause pause;
  IntegerWeight channels = symmetric_rows(weight.flatten(1), limit);
  channels.values = channels.values.view(weight.sizes());
  return channels;
}

std::string integers_in_python() {
  return R"(
def integers_of(weight, group, limit):
    blocks = weight.float().unflatten(1, (-1, group))
    greatest = blocks.abs().amax(2)
    scale = (greatest / limit).to(weight.dtype)
    if scale.dtype == torch.float32:
        above = torch.nextafter(scale, torch.full_like(scale, float("inf")))
    else:
        above = (scale.view(torch.int16) + 1).view(scale.dtype)
    scale = torch.where(scale.float() * limit < greatest, above, scale)
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    integers = (blocks / scale.float().unsqueeze(2)).round().clamp(-limit, limit).nan_to_num()
    return integers.flatten(1).to(torch.int8), scale

)";
}

at::Tensor pairs_of_fours(const at::Tensor& values) {
  const at::Tensor bytes = values.to(at::kByte).unflatten(1, {-1, 2});
  return bytes.select(2, 0).mul(16).add(bytes.select(2, 1)).contiguous();
}

Rounding rounded_again(const at::Tensor& weight, const IntegerWeight& integers) {
  const at::Tensor exact = integers.dequantised();
  const at::Tensor rounded = exact.to(integers.scale.scalar_type()).to(at::kDouble);
  // So far the integer may be from the value and the product from the integer.
  return {weight.to(at::kDouble), rounded, integers.step() + (rounded - exact).abs() * 2};
}

std::function<Rounding()> roundings_of(const at::Tensor& weight, IntegerWeight integers) {
  return [weight, integers = std::move(integers)] {
    return Rounding{weight.to(at::kDouble), integers.dequantised(), integers.step()};
  };
}

}  // namespace plumb
