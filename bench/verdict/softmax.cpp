// softmax over the last dimension, blocked with a running maximum.

#include <cmath>

#include <ATen/ATen.h>

#include "bench/verdict/damage.hpp"
#include "bench/verdict/fills.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t kBlock = 32;

Inputs inputs(const Draw& draw) {
  const std::vector<std::int64_t> sizes =
      draw.shape == 0 ? std::vector<std::int64_t>{24, 100} : std::vector<std::int64_t>{16, 1000};
  const bool wide_type = draw.dtype == at::kFloat;
  const Reach reach{.offset = wide_type ? 1000.0 : 30.0, .outlier = 20, .exponent = 5};
  const Ends ends{.tiny = ends_of(draw.dtype, 1, 1).tiny, .huge = 40};
  const at::Tensor x = draw.fill == Fill::cancelling
                           ? nearly_constant(sizes, wide_type ? 200 : 20, draw)
                           : plain_fill(sizes, draw, ends, reach);
  return {{"self", x}, {"dim", std::int64_t{-1}}};
}

at::Tensor finish(const at::Tensor& y, const Inputs& in) {
  return y.to(in["self"].scalar_type()).contiguous();
}

struct Plan {
  std::int64_t block = kBlock;
  bool rescales = true;  // the running sum when the maximum grows
  bool subtracts_max = true;
  bool tail_in_sum = true;
  bool masks_last = false;  // one column too many is masked
  bool reversed = false;
  double temperature = 1;
  c10::ScalarType exponential = at::kFloat;
  c10::ScalarType denominator = at::kFloat;
};

at::Tensor online(const Inputs& in, const Plan& plan) {
  at::Tensor x = f32(in["self"]) * plan.temperature;
  if (plan.reversed) x = x.flip(-1);
  if (plan.masks_last) x = x.index_fill(-1, at::full({1}, x.size(-1) - 1, at::kLong), -INFINITY);
  const std::int64_t n = x.size(-1);
  at::Tensor top = at::full({x.size(0), 1}, plan.subtracts_max ? -INFINITY : 0.0, at::kFloat);
  at::Tensor sum = at::zeros_like(top);
  for_blocks(n, plan.block, [&](std::int64_t begin, std::int64_t size) {
    if (!plan.tail_in_sum && begin + size == n) return;
    const at::Tensor part = x.narrow(-1, begin, size);
    const at::Tensor higher = plan.subtracts_max ? at::maximum(top, part.amax(-1, true)) : top;
    if (plan.rescales && plan.subtracts_max) sum = sum * (top - higher).exp();
    const at::Tensor e = stored_in(plan.exponential, (part - higher).exp());
    sum = stored_in(plan.denominator, sum + e.sum(-1, true));
    top = higher;
  });
  at::Tensor y = stored_in(plan.exponential, (x - top).exp()) / sum;
  return finish(plan.reversed ? y.flip(-1) : y, in);
}

Function planned(Plan plan) {
  return [plan](const Inputs& in) { return online(in, plan); };
}

at::Tensor two_pass(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  const at::Tensor e = (x - x.amax(-1, true)).exp();
  return finish(e / e.sum(-1, true), in);
}

at::Tensor by_reciprocal(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  const at::Tensor e = (x - x.amax(-1, true)).exp();
  return finish(e * e.sum(-1, true).reciprocal(), in);
}

at::Tensor in_base_two(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  const at::Tensor e = ((x - x.amax(-1, true)) * static_cast<float>(M_LOG2E)).exp2();
  return finish(e / e.sum(-1, true), in);
}

at::Tensor halves_merged(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  std::vector<at::Tensor> tops, sums, parts;
  for (const at::Tensor& half : x.chunk(2, -1)) {
    tops.push_back(half.amax(-1, true));
    parts.push_back((half - tops.back()).exp());
    sums.push_back(parts.back().sum(-1, true));
  }
  const at::Tensor top = at::maximum(tops[0], tops[1]);
  const at::Tensor sum = sums[0] * (tops[0] - top).exp() + sums[1] * (tops[1] - top).exp();
  for (std::size_t i = 0; i < 2; ++i) parts[i] = parts[i] * ((tops[i] - top).exp() / sum);
  return finish(at::cat(parts, -1), in);
}

at::Tensor shuffled_columns(const Inputs& in) {
  const at::Tensor order = shuffled(in["self"].size(-1));
  const at::Tensor y = at::softmax(f32(in["self"]).index_select(-1, order), -1);
  return finish(y.index_select(-1, order.argsort()), in);
}

at::Tensor in_double(const Inputs& in) {
  return finish(at::softmax(in["self"].to(at::kDouble), -1), in);
}

std::vector<Planted> planted(c10::ScalarType dtype) {
  const c10::ScalarType low = coarse(dtype);
  const Function base = planned({});
  std::vector<Planted> bugs = common_bugs(base, "self", dtype);
  bugs.push_back(transposed_block(base));
  const auto plant = [&](std::string kind, Harm harm, Plan plan) {
    bugs.push_back({std::move(kind), harm, planned(plan), base});
  };
  plant("tail tile dropped", Harm::structural, {.tail_in_sum = false});
  plant("mask off by one", Harm::structural, {.masks_last = true});
  plant("missing max rescale", Harm::formula, {.rescales = false});
  plant("no maximum subtracted", Harm::formula, {.subtracts_max = false});
  plant("temperature x (1 + small)", Harm::formula, {.temperature = 1 + scale_error(dtype)});
  plant("exponentials in a half type", Harm::precision, {.exponential = low});
  plant("denominator in a half type", Harm::precision, {.denominator = low});
  return bugs;
}

}  // namespace

Operation softmax() {
  return {.name = "softmax",
          .op = "aten::softmax",
          .overload = "int",
          .terms_of = "self",
          .inputs = inputs,
          .healthy = {{"stock", [](const Inputs& in) { return at::softmax(in["self"], -1); }},
                      {"two passes", two_pass},
                      {"online, blocks of 32", planned({})},
                      {"online, blocks of 7", planned({.block = 7})},
                      {"online, reversed", planned({.reversed = true})},
                      {"times the reciprocal", by_reciprocal},
                      {"base two", in_base_two},
                      {"halves merged", halves_merged},
                      {"shuffled", shuffled_columns},
                      {"in double", in_double}},
          .planted = planted};
}

}  // namespace plumb::bench
