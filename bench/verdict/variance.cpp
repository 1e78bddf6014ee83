// Unbiased variance over the last dimension.

#include <ATen/ATen.h>

#include "bench/verdict/damage.hpp"
#include "bench/verdict/fills.hpp"
#include "bench/verdict/numeric.hpp"

namespace plumb::bench {
namespace {

Inputs inputs(const Draw& draw) {
  const std::int64_t n = draw.shape == 0 ? 64 : 1000;
  const std::vector<std::int64_t> sizes = {draw.shape == 0 ? 32 : 24, n};
  const bool wide_type = draw.dtype == at::kFloat;
  Reach reach = reach_of(draw.dtype);
  if (!wide_type) reach.offset = 30;
  if (draw.dtype == at::kHalf) reach.exponent = 2, reach.outlier = 20;
  Ends ends = ends_of(draw.dtype, 2, n);
  if (draw.dtype == at::kHalf) ends.huge = 150;
  const at::Tensor x = draw.fill == Fill::cancelling
                           ? nearly_constant(sizes, wide_type ? 1000 : 100, draw)
                           : plain_fill(sizes, draw, ends, reach);
  return {{"self", x}, {"dim", c10::List<std::int64_t>({-1})}, {"correction", std::int64_t{1}}};
}

at::Tensor finish(const at::Tensor& y, const Inputs& in) {
  return y.to(in["self"].scalar_type()).contiguous();
}

/// Mean and sum of squared deviations of a block of columns.
struct Moments {
  at::Tensor mean, squares;
  double count = 0;
};

Moments moments(const at::Tensor& x) {
  const at::Tensor mean = x.mean(-1, true);
  return {mean, (x - mean).square().sum(-1, true), static_cast<double>(x.size(-1))};
}

Moments merged(const Moments& a, const Moments& b, bool with_delta) {
  const double n = a.count + b.count;
  const at::Tensor delta = b.mean - a.mean;
  at::Tensor squares = a.squares + b.squares;
  if (with_delta) squares = squares + delta.square() * (a.count * b.count / n);
  return {a.mean + delta * (b.count / n), squares, n};
}

Function chan(std::int64_t block, bool with_delta = true) {
  return [=](const Inputs& in) {
    const at::Tensor x = f32(in["self"]);
    std::optional<Moments> all;
    for_blocks(x.size(-1), block, [&](std::int64_t begin, std::int64_t size) {
      const Moments part = moments(x.narrow(-1, begin, size));
      all = all ? merged(*all, part, with_delta) : part;
    });
    return finish((all->squares / (all->count - 1)).squeeze(-1), in);
  };
}

/// Two passes over `view(x)` with choices for what is kept where.
struct Plan {
  std::function<at::Tensor(const at::Tensor&)> view = [](const at::Tensor& x) { return x; };
  c10::ScalarType mean = at::kFloat;
  c10::ScalarType square = at::kFloat;
  c10::ScalarType accumulator = at::kFloat;
  double correction = 1;
  bool mean_of_neighbour = false;
};

at::Tensor two_pass(const Inputs& in, const Plan& plan) {
  const at::Tensor x = plan.view(f32(in["self"]));
  at::Tensor mean = stored_in(plan.mean, x.mean(-1, true));
  if (plan.mean_of_neighbour) mean[-1].copy_(mean[-2].clone());
  const at::Tensor squares = stored_in(plan.square, (x - mean).square());
  at::Tensor total = at::zeros_like(mean);
  for_blocks(x.size(-1), 64, [&](std::int64_t begin, std::int64_t size) {
    total = stored_in(plan.accumulator, total + squares.narrow(-1, begin, size).sum(-1, true));
  });
  return finish((total / (static_cast<double>(x.size(-1)) - plan.correction)).squeeze(-1), in);
}

Function planned(Plan plan) {
  return [plan](const Inputs& in) { return two_pass(in, plan); };
}

at::Tensor corrected(const Inputs& in) {  // two passes, less the square of what the mean missed
  const at::Tensor x = f32(in["self"]);
  const auto n = static_cast<double>(x.size(-1));
  const at::Tensor d = x - x.mean(-1, true);
  return finish((d.square().sum(-1) - d.sum(-1).square() / n) / (n - 1), in);
}

at::Tensor one_pass(const Inputs& in) {
  const at::Tensor x = f32(in["self"]);
  const auto n = static_cast<double>(x.size(-1));
  return finish((x.square().sum(-1) - x.sum(-1).square() / n) / (n - 1), in);
}

at::Tensor in_double(const Inputs& in) {
  return finish(at::var(in["self"].to(at::kDouble), {-1}, 1, false), in);
}

std::vector<Planted> planted(c10::ScalarType dtype) {
  const c10::ScalarType low = coarse(dtype);
  const Function base = planned({});
  std::vector<Planted> bugs = common_bugs(base, "self", dtype);
  const auto plant = [&](std::string kind, Harm harm, Function run) {
    bugs.push_back({std::move(kind), harm, std::move(run), base});
  };
  const auto without_tail = [](const at::Tensor& x) {
    return x.narrow(-1, 0, (x.size(-1) - 1) / 32 * 32);
  };
  const auto shifted = [](const at::Tensor& x) { return x.flatten().roll(-1).view(x.sizes()); };
  plant("n for n-1", Harm::formula, planned({.correction = 0}));
  plant("one-pass variance", Harm::formula, one_pass);
  plant("merged without the difference of means", Harm::formula, chan(32, false));
  plant("tail tile dropped", Harm::structural, planned({.view = without_tail}));
  plant("window off by one", Harm::structural, planned({.view = shifted}));
  plant("statistics of the wrong row", Harm::structural, planned({.mean_of_neighbour = true}));
  plant("mean in a half type", Harm::precision, planned({.mean = low}));
  plant("squares in a half type", Harm::precision, planned({.square = low}));
  plant("accumulator in a half type", Harm::precision, planned({.accumulator = low}));
  return bugs;
}

}  // namespace

Operation variance() {
  const auto reversed = [](const at::Tensor& x) { return x.flip(-1); };
  const auto in_other_order = [](const at::Tensor& x) {
    return x.index_select(-1, shuffled(x.size(-1)));
  };
  return {
      .name = "variance",
      .op = "aten::var",
      .overload = "correction",
      .terms_of = "self",
      .inputs = inputs,
      .healthy = {{"stock", [](const Inputs& in) { return at::var(in["self"], {-1}, 1, false); }},
                  {"two passes", planned({})},
                  {"corrected", corrected},
                  {"Chan, blocks of 32", chan(32)},
                  {"Chan, blocks of 7", chan(7)},
                  {"Chan, halves", chan(500)},
                  {"Welford", chan(1), true},
                  {"reversed", planned({.view = reversed})},
                  {"shuffled", planned({.view = in_other_order})},
                  {"in double", in_double}},
      .planted = planted};
}

}  // namespace plumb::bench
