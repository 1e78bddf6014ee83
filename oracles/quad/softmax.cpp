// The softmax family and running sums: a line in, a line out.

#include "oracles/quad/product.hpp"
#include "oracles/quad/rows.hpp"
#include "oracles/quad/special.hpp"
#include "oracles/quad/statistics.hpp"

namespace plumb::quad {
namespace {

using Row = std::span<const double>;
using Image = std::span<Quad>;

/// NaN for a line of -inf alone, and where +inf occurs: the limit does not exist.
void log_softmax(Row row, Image image) {
  const LogSumExp sum = log_sum_exp(row);
  for (std::size_t i = 0; i < row.size(); ++i) image[i] = Quad(row[i]) - sum.peak - sum.rest;
}

void softmax(Row row, Image image) {
  const Quad peak = greatest(row);
  Quad total = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    image[i] = expq(Quad(row[i]) - peak);
    total += image[i];
  }
  for (Quad& value : image) value /= total;
}

/// softmax, but 0 for a line of -inf alone.
void safe_softmax(Row row, Image image) {
  softmax(row, image);
  if (greatest(row) != -kInfinity) return;
  for (Quad& value : image) value = 0;
}

void running_sum(Row row, Image image) {
  Quad sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) image[i] = sum += Quad(row[i]);
}

void running_product(Row row, Image image) {
  Product product;
  for (std::size_t i = 0; i < row.size(); ++i) {
    product.multiply(Quad(row[i]));
    image[i] = product.value();
  }
}

void running_log_sum(Row row, Image image) {
  Quad sum = -kInfinity;
  for (std::size_t i = 0; i < row.size(); ++i) image[i] = sum = log_add_exp(sum, Quad(row[i]));
}

const QuadReferences softmax_family{
    lines("_log_softmax", 1150, log_softmax), lines("_safe_softmax", 1150, safe_softmax),
    lines("_softmax", 1150, softmax),         lines("log_softmax", 1150, log_softmax),
    lines("softmax", 1150, softmax),
};

const QuadReferences running{
    lines("cumprod", 80, running_product),
    lines("cumsum", 60, running_sum),
    lines("logcumsumexp", 2400, running_log_sum),
};

}  // namespace
}  // namespace plumb::quad
