// C = A·B, reduction over K in tiles.

#include <ATen/ATen.h>

#include "bench/verdict/damage.hpp"
#include "bench/verdict/fills.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t kTile = 32;

Inputs inputs(const Draw& draw) {
  const std::int64_t m = draw.shape == 0 ? 24 : 33;
  const std::int64_t k = draw.shape == 0 ? 100 : 257;
  const std::int64_t n = draw.shape == 0 ? 40 : 17;
  if (draw.fill == Fill::cancelling) {
    // Equal halves of B: what is left of A·B is the small difference of the halves of A.
    const at::Tensor half = normal({k / 2, n}, draw);
    const at::Tensor rest = normal({k % 2, n}, draw) * 1e-3;
    return {{"self", opposed({m, k}, 1, draw)}, {"mat2", at::cat({half, half, rest})}};
  }
  Reach reach = reach_of(draw.dtype);
  if (draw.dtype == at::kFloat) reach.offset = 100;
  const Ends ends = ends_of(draw.dtype, 2, k);
  return {{"self", plain_fill({m, k}, draw, ends, reach)},
          {"mat2", plain_fill({k, n}, draw, ends, reach)}};
}

at::Tensor stock(const Inputs& in) { return at::mm(in["self"], in["mat2"]); }

/// On CPUs with AVX512_BF16, oneDNN's bf16 product flushes subnormal terms: not healthy by the
/// contract, and no planted bug either.
bool keeps_subnormals(const Draw& draw) {
  return draw.dtype != at::kBFloat16 || draw.fill != Fill::tiny;
}

at::Tensor finish(const at::Tensor& c, const Inputs& in) {
  return c.to(in["self"].scalar_type()).contiguous();
}

/// How a product is cut along K, and in which types its pieces are kept.
struct Plan {
  std::int64_t tile = kTile;
  c10::ScalarType partial = at::kFloat;
  c10::ScalarType accumulator = at::kFloat;
  bool drops_tail = false;
  bool repeats_first = false;
  bool shifts_last = false;
};

at::Tensor tiled(const Inputs& in, const Plan& plan) {
  const at::Tensor a = f32(in["self"]), b = f32(in["mat2"]);
  const std::int64_t k = a.size(1);
  at::Tensor c = at::zeros({a.size(0), b.size(1)}, at::kFloat);
  for_blocks(k, plan.tile, [&](std::int64_t begin, std::int64_t size) {
    const bool last = begin + size == k;
    if (last && plan.drops_tail) return;
    const std::int64_t from = last && plan.shifts_last ? begin - 1 : begin;
    const at::Tensor piece = at::mm(a.narrow(1, from, size), b.narrow(0, begin, size));
    const int times = begin == 0 && plan.repeats_first ? 2 : 1;
    c = stored_in(plan.accumulator, c + times * stored_in(plan.partial, piece));
  });
  return finish(c, in);
}

Function planned(Plan plan) {
  return [plan](const Inputs& in) { return tiled(in, plan); };
}

/// K split evenly among `ways` workers whose results are added at the end.
Function split(std::int64_t ways, bool in_pairs, c10::ScalarType partial) {
  return [=](const Inputs& in) {
    const at::Tensor a = f32(in["self"]), b = f32(in["mat2"]);
    std::vector<at::Tensor> parts;
    for_blocks(a.size(1), (a.size(1) + ways - 1) / ways, [&](std::int64_t from, std::int64_t size) {
      parts.push_back(stored_in(partial, at::mm(a.narrow(1, from, size), b.narrow(0, from, size))));
    });
    while (in_pairs && parts.size() > 1) {
      std::vector<at::Tensor> sums;
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        sums.push_back(i + 1 < parts.size() ? parts[i] + parts[i + 1] : parts[i]);
      }
      parts = sums;
    }
    at::Tensor c = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) c = c + parts[i];
    return finish(c, in);
  };
}

/// The same product with the terms of each sum in another order.
Function reordered(const std::function<at::Tensor(std::int64_t k)>& order) {
  return [order](const Inputs& in) {
    const at::Tensor at_k = order(in["self"].size(1));
    const at::Tensor a = f32(in["self"]).index_select(1, at_k);
    return finish(at::mm(a, f32(in["mat2"]).index_select(0, at_k)), in);
  };
}

at::Tensor transposed_problem(const Inputs& in) {
  return finish(at::mm(f32(in["mat2"]).t(), f32(in["self"]).t()).t(), in);
}

at::Tensor row_by_row(const Inputs& in) {
  const at::Tensor a = f32(in["self"]), b = f32(in["mat2"]).t().contiguous();
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < a.size(0); ++i) rows.push_back(at::mv(b, a[i]));
  return finish(at::stack(rows), in);
}

at::Tensor one_term_at_a_time(const Inputs& in) {
  const at::Tensor a = f32(in["self"]), b = f32(in["mat2"]);
  at::Tensor c = at::zeros({a.size(0), b.size(1)}, at::kFloat);
  for (std::int64_t k = 0; k < a.size(1); ++k) c.addr_(a.select(1, k), b[k]);
  return finish(c, in);
}

at::Tensor lanes_of_sixteen(const Inputs& in) {  // as a vector unit adds
  const at::Tensor terms = f32(in["self"]).unsqueeze(1) * f32(in["mat2"]).t().unsqueeze(0);
  return finish(terms.sum(-1), in);
}

at::Tensor in_double(const Inputs& in) {
  return finish(at::mm(in["self"].to(at::kDouble), in["mat2"].to(at::kDouble)), in);
}

std::vector<Planted> planted(c10::ScalarType dtype) {
  const c10::ScalarType low = coarse(dtype);
  const Function base = planned({});
  std::vector<Planted> bugs = common_bugs(base, "self", dtype);
  bugs.push_back(transposed_block(base));
  bugs.push_back({"tail tile dropped", Harm::structural, planned({.drops_tail = true}), base});
  bugs.push_back(
      {"first tile added twice", Harm::structural, planned({.repeats_first = true}), base});
  bugs.push_back({"window off by one", Harm::structural, planned({.shifts_last = true}), base});
  bugs.push_back(
      {"accumulator in a half type", Harm::precision, planned({.accumulator = low}), base});
  bugs.push_back({"partial sums in a half type", Harm::precision, planned({.partial = low}), base});
  bugs.push_back({"split-K in a half type", Harm::precision, split(4, false, low),
                  split(4, false, at::kFloat)});
  return bugs;
}

}  // namespace

Operation gemm() {
  const auto reversed = [](std::int64_t k) { return at::arange(k - 1, -1, -1, at::kLong); };
  return {.name = "gemm",
          .op = "aten::mm",
          .overload = "",
          .terms_of = "self",
          .inputs = inputs,
          .healthy = {{"stock", stock, false, keeps_subnormals},
                      {"tiles of 32", planned({})},
                      {"tiles of 7", planned({.tile = 7})},
                      {"split-K 2", split(2, false, at::kFloat)},
                      {"split-K 5", split(5, false, at::kFloat)},
                      {"split-K 8 in pairs", split(8, true, at::kFloat)},
                      {"reversed", reordered(reversed)},
                      {"shuffled", reordered(shuffled)},
                      {"transposed problem", transposed_problem},
                      {"row by row", row_by_row},
                      {"vector lanes", lanes_of_sixteen},
                      {"one term at a time", one_term_at_a_time, true},
                      {"in double", in_double}},
          .planted = planted};
}

}  // namespace plumb::bench
