// softmax(Q·Kᵀ/√d)·V, blocked over the keys with a running maximum. The contract is composite: the
// probabilities may be rounded to the output type before the product with V.

#include "bench/verdict/attention.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "bench/verdict/damage.hpp"
#include "bench/verdict/fills.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

Inputs inputs(const Draw& draw) {
  const bool causal = draw.shape == 0;
  const std::int64_t heads = 2, d = causal ? 16 : 32;
  const std::int64_t queries = causal ? 37 : 24, keys = causal ? 37 : 80;
  const std::vector<std::int64_t> q_size = {1, heads, queries, d}, k_size = {1, heads, keys, d};
  const Reach reach{.offset = 4, .outlier = 8, .exponent = 2};
  const Ends mild{.tiny = 0.1, .huge = 2};
  at::Tensor q = plain_fill(q_size, draw, mild, reach);
  at::Tensor k = plain_fill(k_size, draw, mild, reach);
  at::Tensor v = plain_fill(k_size, draw, ends_of(draw.dtype, 1, draw.dtype == at::kHalf ? 1 : 400),
                            reach_of(draw.dtype));
  if (draw.fill == Fill::cancelling) {
    // Keys in equal pairs with opposed values: what remains is the small difference.
    v = opposed(k_size, 2, draw);
    const at::Tensor half = normal({1, heads, keys / 2, d}, draw);
    k = at::cat({half, half, normal({1, heads, keys % 2, d}, draw)}, 2);
  }
  return {{"query", q}, {"key", k}, {"value", v}, {"is_causal", causal}};
}

bool is_causal(const Inputs& in) { return in.find("is_causal")->toBool(); }

at::Tensor stock(const Inputs& in) {
  return at::scaled_dot_product_attention(in["query"], in["key"], in["value"], {}, 0.0,
                                          is_causal(in));
}

at::Tensor textbook(const Inputs& in) {
  const at::Tensor p = at::softmax(attention_scores(in, {}), -1);
  return finish_attention(at::matmul(p, f32(in["value"])), in);
}

at::Tensor rounded_probabilities(const Inputs& in) {
  const at::Tensor p =
      stored_in(in["query"].scalar_type(), at::softmax(attention_scores(in, {}), -1));
  return finish_attention(at::matmul(p, f32(in["value"])), in);
}

at::Tensor in_double(const Inputs& in) {
  return at::scaled_dot_product_attention(in["query"].to(at::kDouble), in["key"].to(at::kDouble),
                                          in["value"].to(at::kDouble), {}, 0.0, is_causal(in))
      .to(in["query"].scalar_type());
}

Function flash(FlashPlan plan) {
  return [plan](const Inputs& in) { return flash_attention(in, plan); };
}

std::vector<Planted> planted(c10::ScalarType dtype) {
  const c10::ScalarType low = coarse(dtype);
  const Function base = flash({.rounds_probabilities = true});
  std::vector<Planted> bugs = common_bugs(base, "value", dtype);
  bugs.push_back(transposed_block(base));
  const auto plant = [&](std::string kind, Harm harm, FlashPlan plan) {
    plan.rounds_probabilities = true;
    bugs.push_back({std::move(kind), harm, flash(plan), base});
  };
  plant("tail tile dropped", Harm::structural, {.drops_tail = true});
  plant("mask off by one", Harm::structural, {.mask_shift = 1});
  plant("window off by one", Harm::structural, {.value_shift = 1});
  plant("wrong head", Harm::structural, {.first_head_for_all = true});
  plant("missing max rescale", Harm::formula, {.rescales = false});
  plant("splits merged without weights", Harm::formula, {.equal_weights = true});
  plant("temperature x (1 + small)", Harm::formula, {.temperature = 1 + scale_error(dtype)});
  plant("accumulator in a half type", Harm::precision, {.accumulator = low});
  plant("denominator in a half type", Harm::precision, {.denominator = low});
  plant("scores in a half type", Harm::precision, {.score = low});
  plant("probabilities in fp8", Harm::precision, {.probability = at::kFloat8_e4m3fn});
  return bugs;
}

}  // namespace

Operation attention() {
  return {.name = "attention",
          .op = "aten::scaled_dot_product_attention",
          .overload = "",
          .terms_of = "key",
          .terms_dim = -2,
          .inputs = inputs,
          .healthy = {{"stock", stock},
                      {"textbook", textbook},
                      {"flash, blocks of 16", flash({})},
                      {"flash, blocks of 7", flash({.block = 7})},
                      {"flash, rounded probabilities", flash({.rounds_probabilities = true})},
                      {"flash, blocks of 7, rounded",
                       flash({.block = 7, .rounds_probabilities = true})},
                      {"flash, keys reversed", flash({.reversed = true})},
                      {"rounded probabilities", rounded_probabilities},
                      {"split over keys", flash({.block = 40, .splits = true})},
                      {"in double", in_double}},
          .planted = planted};
}

}  // namespace plumb::bench
