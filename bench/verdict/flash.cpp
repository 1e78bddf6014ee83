#include <cmath>

#include <ATen/ATen.h>

#include "bench/verdict/attention.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

/// Running maximum, sum of exponentials and weighted sum of V.
struct State {
  at::Tensor top, sum, y;
};

State empty_state(const at::Tensor& scores, std::int64_t width) {
  auto sizes = scores.sizes().vec();
  sizes.back() = 1;
  const at::Tensor top = at::full(sizes, -INFINITY, at::kFloat);
  sizes.back() = width;
  return {top, at::zeros_like(top), at::zeros(sizes, at::kFloat)};
}

at::Tensor zero_where_nan(const at::Tensor& t) { return t.masked_fill(t.isnan(), 0.0); }

/// exp(a − b) where both may be −inf: a row that has seen no key yet weighs nothing.
at::Tensor ratio(const at::Tensor& a, const at::Tensor& b) { return zero_where_nan((a - b).exp()); }

void absorb(State& state, const at::Tensor& scores, const at::Tensor& v, const FlashPlan& plan,
            c10::ScalarType output) {
  const at::Tensor top = at::maximum(state.top, scores.amax(-1, true));
  at::Tensor p = stored_in(plan.probability, ratio(scores, top));
  const at::Tensor keep = plan.rescales ? ratio(state.top, top) : at::ones_like(top);
  state.sum = stored_in(plan.denominator, state.sum * keep + p.sum(-1, true));
  if (plan.rounds_probabilities) p = stored_in(output, p);
  state.y = stored_in(plan.accumulator, state.y * keep + at::matmul(p, v));
  state.top = top;
}

/// Blocks that were worked on apart, joined by their log-sum-exp.
at::Tensor merge(const std::vector<State>& states, bool equal_weights) {
  at::Tensor top = states[0].top;
  for (const State& state : states) top = at::maximum(top, state.top);
  at::Tensor y = at::zeros_like(states[0].y), sum = at::zeros_like(top);
  for (const State& state : states) {
    const at::Tensor weight =
        equal_weights ? state.sum.gt(0).to(at::kFloat) : state.sum * ratio(state.top, top);
    y = y + zero_where_nan(state.y / state.sum) * weight;
    sum = sum + weight;
  }
  return y / sum;
}

}  // namespace

at::Tensor finish_attention(const at::Tensor& y, const Inputs& in) {
  return y.to(in["query"].scalar_type()).contiguous();
}

at::Tensor attention_scores(const Inputs& in, const FlashPlan& plan) {
  const at::Tensor q = f32(in["query"]);
  const double scale = plan.temperature / std::sqrt(static_cast<double>(q.size(-1)));
  at::Tensor scores = at::matmul(q, f32(in["key"]).transpose(-1, -2)) * scale;
  scores = stored_in(plan.score, scores);
  const std::int64_t keys = scores.size(-1);
  if (in.find("is_causal")->toBool()) {
    const at::Tensor visible = at::ones({scores.size(-2), keys}, at::kBool).tril(plan.mask_shift);
    return scores.masked_fill(visible.logical_not(), -INFINITY);
  }
  if (plan.mask_shift == 0) return scores;
  return scores.index_fill(-1, at::full({1}, keys - 1, at::kLong), -INFINITY);
}

at::Tensor flash_attention(const Inputs& in, const FlashPlan& plan) {
  at::Tensor scores = attention_scores(in, plan), v = f32(in["value"]);
  if (plan.value_shift != 0) v = v.roll(-plan.value_shift, 2);
  if (plan.first_head_for_all) v = v.narrow(1, 0, 1).expand_as(v).contiguous();
  if (plan.reversed) scores = scores.flip(-1), v = v.flip(-2);
  const std::int64_t keys = scores.size(-1);
  const bool apart = plan.splits || plan.equal_weights;
  std::vector<State> states;
  for_blocks(keys, plan.block, [&](std::int64_t begin, std::int64_t size) {
    if (plan.drops_tail && begin + size == keys) return;
    if (states.empty() || apart) states.push_back(empty_state(scores, v.size(-1)));
    absorb(states.back(), scores.narrow(-1, begin, size), v.narrow(-2, begin, size), plan,
           in["query"].scalar_type());
  });
  return finish_attention(merge(states, plan.equal_weights), in);
}

}  // namespace plumb::bench
