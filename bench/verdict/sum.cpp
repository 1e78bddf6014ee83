// Sum over the last dimension.

#include <ATen/ATen.h>

#include "bench/verdict/damage.hpp"
#include "bench/verdict/fills.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t kBlock = 64;

Inputs inputs(const Draw& draw) {
  const std::int64_t n = draw.shape == 0 ? 200 : 2001;
  const std::vector<std::int64_t> sizes = {draw.shape == 0 ? 32 : 24, n};
  at::Tensor x;
  if (draw.fill == Fill::cancelling) {
    x = opposed(sizes, 1, draw).index_select(1, at::randperm(n, draw.generator, at::kLong));
  } else {
    Ends ends = ends_of(draw.dtype, 1, n);
    ends.tiny *= 4;
    x = plain_fill(sizes, draw, ends, reach_of(draw.dtype));
  }
  return {{"self", x}, {"dim", c10::List<std::int64_t>({-1})}};
}

at::Tensor finish(const at::Tensor& y, const Inputs& in) {
  return y.to(in["self"].scalar_type()).contiguous();
}

struct Plan {
  std::int64_t block = kBlock;
  bool drops_tail = false;
  bool repeats_first = false;
  std::int64_t shift = 0;  // the window of a row begins here and reaches into the next row
  bool reversed = false;
  c10::ScalarType partial = at::kFloat;
  c10::ScalarType accumulator = at::kFloat;
};

at::Tensor blocked(const Inputs& in, const Plan& plan) {
  at::Tensor x = f32(in["self"]);
  if (plan.shift != 0) x = x.flatten().roll(-plan.shift).view(x.sizes());
  if (plan.reversed) x = x.flip(-1);
  at::Tensor total = at::zeros({x.size(0)}, at::kFloat);
  for_blocks(x.size(-1), plan.block, [&](std::int64_t begin, std::int64_t size) {
    if (plan.drops_tail && begin + size == x.size(-1)) return;
    const at::Tensor piece = stored_in(plan.partial, x.narrow(-1, begin, size).sum(-1));
    const int times = begin == 0 && plan.repeats_first ? 2 : 1;
    total = stored_in(plan.accumulator, total + times * piece);
  });
  return finish(total, in);
}

Function planned(Plan plan) {
  return [plan](const Inputs& in) { return blocked(in, plan); };
}

at::Tensor pairwise(const Inputs& in) {
  at::Tensor x = f32(in["self"]);
  while (x.size(-1) > 1) {
    const std::int64_t half = x.size(-1) / 2;
    const at::Tensor odd = x.narrow(-1, 2 * half, x.size(-1) % 2);
    x = at::cat({x.narrow(-1, 0, half) + x.narrow(-1, half, half), odd}, -1);
  }
  return finish(x.squeeze(-1), in);
}

at::Tensor compensated(const Inputs& in) {  // Kahan
  const at::Tensor x = f32(in["self"]).t().contiguous();
  at::Tensor total = at::zeros_like(x[0]), rest = at::zeros_like(x[0]);
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const at::Tensor corrected = x[i] - rest;
    const at::Tensor next = total + corrected;
    rest = (next - total) - corrected;
    total = next;
  }
  return finish(total, in);
}

at::Tensor one_term_at_a_time(const Inputs& in) {
  const at::Tensor x = f32(in["self"]).t().contiguous();
  at::Tensor total = at::zeros_like(x[0]);
  for (std::int64_t i = 0; i < x.size(0); ++i) total = total + x[i];
  return finish(total, in);
}

at::Tensor shuffled_terms(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  return finish(x.index_select(-1, shuffled(x.size(-1))).sum(-1), in);
}

at::Tensor product_with_ones(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  return finish(at::mv(x, at::ones({x.size(-1)}, at::kFloat)), in);
}

at::Tensor in_double(const Inputs& in) { return finish(in["self"].to(at::kDouble).sum(-1), in); }

std::vector<Planted> planted(c10::ScalarType dtype) {
  const c10::ScalarType low = coarse(dtype);
  const Function base = planned({});
  std::vector<Planted> bugs = common_bugs(base, "self", dtype);
  const auto plant = [&](std::string kind, Harm harm, Plan plan) {
    bugs.push_back({std::move(kind), harm, planned(plan), base});
  };
  plant("tail tile dropped", Harm::structural, {.drops_tail = true});
  plant("first tile added twice", Harm::structural, {.repeats_first = true});
  plant("window off by one", Harm::structural, {.shift = 1});
  plant("accumulator in a half type", Harm::precision, {.accumulator = low});
  plant("partial sums in a half type", Harm::precision, {.partial = low});
  bugs.push_back({"every addition in a half type", Harm::precision,
                  planned({.block = 1, .accumulator = low}), base});
  return bugs;
}

}  // namespace

Operation sum() {
  return {.name = "sum",
          .op = "aten::sum",
          .overload = "dim_IntList",
          .terms_of = "self",
          .inputs = inputs,
          .healthy = {{"stock", [](const Inputs& in) { return in["self"].sum(-1); }},
                      {"in pairs", pairwise},
                      {"blocks of 64", planned({})},
                      {"blocks of 7", planned({.block = 7})},
                      {"blocks of 500", planned({.block = 500})},
                      {"reversed", planned({.reversed = true})},
                      {"shuffled", shuffled_terms},
                      {"compensated", compensated},
                      {"product with ones", product_with_ones},
                      {"one term at a time", one_term_at_a_time, true},
                      {"in double", in_double}},
          .planted = planted};
}

}  // namespace plumb::bench
