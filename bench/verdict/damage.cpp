#include "bench/verdict/damage.hpp"

#include <ATen/ATen.h>

#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

using Change = std::function<at::Tensor(const at::Tensor&)>;

Function after(const Function& base, const Change& change) {
  return [base, change](const Inputs& in) { return change(base(in)); };
}

Function before(const Function& base, const std::string& data, const Change& change) {
  return [base, data, change](const Inputs& in) {
    Inputs changed = in;
    changed.set(data, change(in[data]));
    return base(changed);
  };
}

/// Rows of the last dimension; a vector is a column of rows of one element.
at::Tensor rows_of(const at::Tensor& y) {
  return y.dim() == 1 ? y.view({-1, 1}) : y.view({-1, y.size(-1)});
}

at::Tensor with_wrong_row(const at::Tensor& y) {
  at::Tensor damaged = y.clone();
  at::Tensor rows = rows_of(damaged);
  rows[rows.size(0) / 3].copy_(rows[rows.size(0) / 3 + 1].clone());
  return damaged;
}

/// One row still holds what the step before left there: the result on slightly other values.
Function with_stale_row(const Function& base, const std::string& data) {
  return [base, data](const Inputs& in) {
    Inputs earlier = in;
    earlier.set(data, (f32(in[data]) * 0.93).to(in[data].scalar_type()).flip(-2));
    at::Tensor damaged = base(in).clone();
    at::Tensor rows = rows_of(damaged);
    const std::int64_t stale = rows.size(0) / 2;
    rows[stale].copy_(rows_of(base(earlier).contiguous())[stale]);
    return damaged;
  };
}

at::Tensor with_zeros_in_last_eighth(const at::Tensor& y) {
  at::Tensor damaged = y.clone();
  at::Tensor flat = damaged.view({-1});
  flat.slice(0, flat.numel() - flat.numel() / 8).zero_();
  return damaged;
}

/// A square tile at the end of the last matrix is stored with its indices exchanged.
at::Tensor with_transposed_block(const at::Tensor& y) {
  at::Tensor damaged = y.clone();
  at::Tensor matrix = damaged.view({-1, y.size(-2), y.size(-1)})[-1];
  const std::int64_t side = std::min<std::int64_t>({8, y.size(-2), y.size(-1)});
  at::Tensor tile = matrix.slice(0, 0, side).slice(1, 0, side);
  tile.copy_(tile.t().clone());
  return damaged;
}

at::Tensor saturated(const at::Tensor& y) {
  constexpr double kGreatestE4m3 = 448;
  return y.clamp(-kGreatestE4m3, kGreatestE4m3);
}

}  // namespace

std::vector<Planted> common_bugs(const Function& base, const std::string& data,
                                 c10::ScalarType dtype) {
  const auto flush = [dtype](const at::Tensor& t) { return flushed(t, dtype).to(dtype); };
  const auto truncate = [dtype](const at::Tensor& t) { return short_of_bits(t).to(dtype); };
  const auto scale = [dtype](const at::Tensor& y) {
    return (f32(y) * (1 + scale_error(dtype))).to(dtype);
  };
  std::vector<Planted> bugs = {
      {"wrong row", Harm::structural, after(base, with_wrong_row), base},
      {"stale row", Harm::structural, with_stale_row(base, data), base},
      {"zeros in the last eighth", Harm::structural, after(base, with_zeros_in_last_eighth), base},
      {"saturation at 448", Harm::structural, after(base, saturated), base},
      {"subnormals flushed", Harm::precision, after(before(base, data, flush), flush), base},
      {"mantissa of an input truncated", Harm::precision, before(base, data, truncate), base},
      {"mantissa of the output truncated", Harm::precision, after(base, truncate), base},
      {"scale x (1 + small)", Harm::formula, after(base, scale), base},
  };
  return bugs;
}

Planted transposed_block(const Function& base) {
  return {"transposed block", Harm::structural, after(base, with_transposed_block), base};
}

}  // namespace plumb::bench
