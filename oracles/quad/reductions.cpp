// What makes one number of many: sums, products, moments, extremes, norms.

#include <algorithm>
#include <cmath>

#include "oracles/quad/exact.hpp"
#include "oracles/quad/product.hpp"
#include "oracles/quad/rows.hpp"
#include "oracles/quad/statistics.hpp"

namespace plumb::quad {
namespace {

using Row = std::span<const double>;

Quad sum(Row row) { return exact_sum(row); }
Quad average(Row row) { return exact_sum(row) / Quad(row.size()); }

std::vector<double> without_nan(Row row) {
  std::vector<double> rest(row.begin(), row.end());
  std::erase_if(rest, [](double x) { return std::isnan(x); });
  return rest;
}

Quad product(Row row) {
  Product result;
  for (const double value : row) result.multiply(Quad(value));
  return result.value();
}

Quad least(Row row) {
  std::vector<double> negated(row.size());
  std::transform(row.begin(), row.end(), negated.begin(), [](double x) { return -x; });
  return -greatest(negated);
}

Quad log_of_sum(Row row) {
  const LogSumExp sum = log_sum_exp(row);
  return is_finite(sum.peak) ? sum.peak + sum.rest : sum.peak;
}

/// Degrees of freedom that the overload asks to take off.
Quad correction(const Arguments& a) {
  if (a.find("unbiased") != nullptr) return a.flag("unbiased") ? 1 : 0;
  return a.number("correction", 1);
}

/// `finish` of the variance, then the mean where it is asked for.
template <typename F>
QuadReference variance(std::string name, bool with_mean, F finish) {
  const auto evaluate = [with_mean, finish](const Arguments& a) {
    const Rows all = rows(a);
    const Quad freedom = Quad(all.length) - correction(a);
    QuadTensor spread{all.shape, std::vector<Quad>(all.count)};
    QuadTensor centre = spread;
    for (std::size_t i = 0; i < all.count; ++i) {
      const Mean found = mean(all[i]);
      const Quad squares = squared_distances(all[i], found);
      spread.data[i] = finish(squares / (freedom > 0 ? freedom : Quad(0)));
      centre.data[i] = found.value();
    }
    return with_mean ? QuadTensors{spread, centre} : QuadTensors{spread};
  };
  return {.name = "aten::" + std::move(name),
          .operands = {"self"},
          .options = {"dim", "keepdim", "unbiased", "correction"},
          .evaluate = evaluate,
          .nanoseconds = per_element(120)};
}

/// Norms: the order is called p or ord, and is 2 where it is None.
QuadReference norm(std::string name) {
  const auto evaluate = [](const Arguments& a) {
    const Quad p = a.number("p", a.number("ord", 2));
    return QuadTensors{reduce(rows(a), [p](Row row) { return vector_norm(row, p); })};
  };
  const auto refuses = [](const Arguments& a) -> std::optional<std::string> {
    if (a.find("ord") != nullptr && a.find("ord")->isString()) return "matrix norms";
    return std::nullopt;
  };
  return {.name = "aten::" + std::move(name),
          .operands = {"self"},
          .options = {"p", "ord", "dim", "keepdim", "dtype"},
          .evaluate = evaluate,
          .nanoseconds = per_element(120),
          .refuses = refuses};
}

QuadTensors diagonal_sum(const Arguments& a) {
  const at::Tensor diagonal = a.doubles("self").diagonal().contiguous();
  return {reduce(rows(diagonal, {}, false), sum)};
}

const QuadReferences reductions{
    reduction("amax", 10, greatest),
    reduction("amin", 10, least),
    reduction("logsumexp", 1100, log_of_sum),
    reduction("mean", 10, average),
    reduction("nanmean", 20, [](Row row) { return average(without_nan(row)); }),
    reduction("nansum", 20, [](Row row) { return exact_sum(without_nan(row)); }),
    reduction("prod", 60, product),
    reduction("sum", 10, sum),
    {.name = "aten::trace",
     .operands = {"self"},
     .options = {},
     .evaluate = diagonal_sum,
     .nanoseconds = per_element(10)},
};

const QuadReferences moments_of{
    variance("std", false, sqrtq),
    variance("std_mean", true, sqrtq),
    variance("var", false, [](Quad x) { return x; }),
    variance("var_mean", true, [](Quad x) { return x; }),
};

const QuadReferences norms{
    norm("frobenius_norm"),
    norm("linalg_vector_norm"),
    norm("norm"),
};

}  // namespace
}  // namespace plumb::quad
