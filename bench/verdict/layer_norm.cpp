// Layer norm over the last dimension with weight and bias.

#include <cmath>

#include <ATen/ATen.h>

#include "bench/verdict/damage.hpp"
#include "bench/verdict/fills.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

constexpr double kEps = 1e-5;

Inputs inputs(const Draw& draw) {
  const std::int64_t n = draw.shape == 0 ? 100 : 768;
  const std::vector<std::int64_t> sizes = {draw.shape == 0 ? 24 : 16, n};
  Reach reach = reach_of(draw.dtype);
  const bool wide_type = draw.dtype == at::kFloat;
  if (!wide_type) reach.offset = 30;
  Ends ends = ends_of(draw.dtype, 2, n);
  ends.tiny = 1e-3;  // the variance is below eps
  if (draw.dtype == at::kHalf) ends.huge = 1e4;
  const at::Tensor x = draw.fill == Fill::cancelling
                           ? nearly_constant(sizes, wide_type ? 1000 : 100, draw)
                           : plain_fill(sizes, draw, ends, reach);
  c10::List<std::int64_t> shape({n});
  return {{"input", x},
          {"normalized_shape", shape},
          {"weight", 1 + 0.2 * normal({n}, draw)},
          {"bias", 0.2 * normal({n}, draw)},
          {"eps", kEps}};
}

struct Statistics {
  at::Tensor mean;
  at::Tensor variance;
};

at::Tensor normalised(const Inputs& in, const Statistics& s, double eps = kEps) {
  const at::Tensor x = f32(in["input"]);
  const at::Tensor y = (x - s.mean) * (s.variance + eps).rsqrt();
  return (y * f32(in["weight"]) + f32(in["bias"])).to(in["input"].scalar_type()).contiguous();
}

Statistics two_pass(const at::Tensor& x) {
  const at::Tensor mean = x.mean(-1, true);
  return {mean, (x - mean).square().mean(-1, true)};
}

/// Chan's merge of the statistics of blocks.
Statistics merged(const at::Tensor& x, std::int64_t block) {
  at::Tensor mean, square_sum;
  std::int64_t count = 0;
  for_blocks(x.size(-1), block, [&](std::int64_t begin, std::int64_t size) {
    const at::Tensor part = x.narrow(-1, begin, size);
    const at::Tensor m = part.mean(-1, true);
    const at::Tensor q = (part - m).square().sum(-1, true);
    if (count == 0) {
      mean = m, square_sum = q, count = size;
      return;
    }
    const auto total = static_cast<double>(count + size);
    const at::Tensor delta = m - mean;
    mean = mean + delta * (static_cast<double>(size) / total);
    square_sum = square_sum + q +
                 delta.square() * (static_cast<double>(count) * static_cast<double>(size) / total);
    count += size;
  });
  return {mean, square_sum / static_cast<double>(count)};
}

Function with(const std::function<Statistics(const at::Tensor&)>& statistics) {
  return [statistics](const Inputs& in) { return normalised(in, statistics(f32(in["input"]))); };
}

at::Tensor stock(const Inputs& in) {
  const at::Tensor x = in["input"];
  return at::layer_norm(x, {x.size(-1)}, in["weight"], in["bias"], kEps);
}

at::Tensor scale_and_shift(const Inputs& in) {  // one multiply-add per element, as torch does
  const at::Tensor x = f32(in["input"]);
  const Statistics s = two_pass(x);
  const at::Tensor scale = (s.variance + kEps).rsqrt();
  const at::Tensor y = at::addcmul(-s.mean * scale, x, scale);
  return (y * f32(in["weight"]) + f32(in["bias"])).to(in["input"].scalar_type()).contiguous();
}

at::Tensor divided_by_root(const Inputs& in) {
  const at::Tensor x = f32(in["input"]);
  const Statistics s = two_pass(x);
  const at::Tensor y = (x - s.mean) / (s.variance + kEps).sqrt();
  return (y * f32(in["weight"]) + f32(in["bias"])).to(in["input"].scalar_type()).contiguous();
}

at::Tensor in_double(const Inputs& in) {
  const at::Tensor x = in["input"];
  return at::layer_norm(x.to(at::kDouble), {x.size(-1)}, in["weight"].to(at::kDouble),
                        in["bias"].to(at::kDouble), kEps)
      .to(x.scalar_type());
}

Statistics one_pass(const at::Tensor& x) {
  const at::Tensor mean = x.mean(-1, true);
  return {mean, x.square().mean(-1, true) - mean.square()};
}

Statistics of_neighbour(const at::Tensor& x) {  // the last row takes its neighbour's statistics
  Statistics s = two_pass(x);
  for (at::Tensor& t : std::vector<at::Tensor>{s.mean, s.variance}) t[-1].copy_(t[-2].clone());
  return s;
}

Statistics without_tail(const at::Tensor& x) {
  return two_pass(x.narrow(-1, 0, (x.size(-1) - 1) / 32 * 32));
}

Statistics divided_by_n_minus_one(const at::Tensor& x) {
  const auto n = static_cast<double>(x.size(-1));
  const Statistics s = two_pass(x);
  return {s.mean, s.variance * (n / (n - 1))};
}

at::Tensor shifted_weight(const Inputs& in) {
  Inputs changed = in;
  changed.set("weight", in["weight"].roll(1));
  return normalised(changed, two_pass(f32(in["input"])));
}

std::vector<Planted> planted(c10::ScalarType dtype) {
  const c10::ScalarType low = coarse(dtype);
  const Function base = with(two_pass);
  std::vector<Planted> bugs = common_bugs(base, "input", dtype);
  bugs.push_back(transposed_block(base));
  const auto plant = [&](std::string kind, Harm harm, Function run) {
    bugs.push_back({std::move(kind), harm, std::move(run), base});
  };
  plant("eps dropped", Harm::formula,
        [](const Inputs& in) { return normalised(in, two_pass(f32(in["input"])), 0); });
  plant("n-1 for n", Harm::formula, with(divided_by_n_minus_one));
  plant("one-pass variance", Harm::formula, with(one_pass));
  plant("tail tile dropped", Harm::structural, with(without_tail));
  plant("statistics of the wrong row", Harm::structural, with(of_neighbour));
  plant("window off by one", Harm::structural, shifted_weight);
  plant("mean in a half type", Harm::precision, with([low](const at::Tensor& x) {
          const at::Tensor mean = stored_in(low, x.mean(-1, true));
          return Statistics{mean, (x - mean).square().mean(-1, true)};
        }));
  plant("variance in a half type", Harm::precision, with([low](const at::Tensor& x) {
          const Statistics s = two_pass(x);
          return Statistics{s.mean, stored_in(low, s.variance)};
        }));
  return bugs;
}

}  // namespace

Operation layer_norm() {
  const auto blocks = [](std::int64_t size) {
    return with([size](const at::Tensor& x) { return merged(x, size); });
  };
  return {.name = "layer norm",
          .op = "aten::layer_norm",
          .overload = "",
          .terms_of = "input",
          .inputs = inputs,
          .healthy = {{"stock", stock},
                      {"two passes", with(two_pass)},
                      {"Chan, blocks of 32", blocks(32)},
                      {"Chan, blocks of 7", blocks(7)},
                      {"Chan, halves", blocks(384)},
                      {"Welford", blocks(1), true},
                      {"reversed", with([](const at::Tensor& x) { return two_pass(x.flip(-1)); })},
                      {"scale and shift", scale_and_shift},
                      {"divided by the root", divided_by_root},
                      {"in double", in_double}},
          .planted = planted};
}

}  // namespace plumb::bench
