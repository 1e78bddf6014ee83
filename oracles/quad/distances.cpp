// Distances, similarities and products along one dimension of two tensors.

#include <cmath>

#include <ATen/ATen.h>

#include "oracles/quad/exact.hpp"
#include "oracles/quad/rows.hpp"
#include "oracles/quad/statistics.hpp"

namespace plumb::quad {
namespace {

using Row = std::span<const double>;

/// f(row of the one, row of the other) along `dim`, after both are brought to their common shape.
template <typename F>
QuadTensor pairs(const at::Tensor& a, const at::Tensor& b, const std::vector<std::int64_t>& dims,
                 bool keepdim, const F& f) {
  const auto shape = at::infer_size(a.sizes(), b.sizes());
  const Rows left = rows(a.expand(shape), dims, keepdim);
  const Rows right = rows(b.expand(shape), dims, keepdim);
  QuadTensor result{left.shape, std::vector<Quad>(left.count)};
  for (std::size_t i = 0; i < left.count; ++i) result.data[i] = f(left[i], right[i]);
  return result;
}

/// The p-norm of x - y + shift.
Quad distance(Row x, Row y, Quad p, Quad shift = 0) {
  std::vector<Quad> difference(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) difference[k] = Quad(x[k]) - Quad(y[k]) + shift;
  return vector_norm(difference, p);
}

Quad at_least(Quad x, Quad low) { return x < low ? low : x; }

QuadTensors cosine_similarity(const Arguments& a) {
  const Quad eps = a.number("eps");
  return {pairs(a.doubles("x1"), a.doubles("x2"), a.integers("dim"), false, [eps](Row x, Row y) {
    return exact_dot(x, y) /
           (at_least(sqrtq(exact_dot(x, x)), eps) * at_least(sqrtq(exact_dot(y, y)), eps));
  })};
}

QuadTensors pairwise_distance(const Arguments& a) {
  const Quad p = a.number("p");
  const Quad eps = a.number("eps");
  return {pairs(a.doubles("x1"), a.doubles("x2"), {-1}, a.flag("keepdim"),
                [p, eps](Row x, Row y) { return distance(x, y, p, eps); })};
}

/// The distance of every row of x1 (…, n, m) to every row of x2 (…, r, m).
QuadTensors all_distances(const Arguments& a) {
  const Quad p = a.number("p", 2);
  return {pairs(a.doubles("x1").unsqueeze(-2), a.doubles("x2").unsqueeze(-3), {-1}, false,
                [p](Row x, Row y) { return distance(x, y, p); })};
}

QuadTensors whole_distance(const Arguments& a) {
  const Quad p = a.number("p");
  return {pairs(a.doubles("self"), a.doubles("other"), {}, false,
                [p](Row x, Row y) { return distance(x, y, p); })};
}

QuadTensors dot_products(const Arguments& a) {
  return {pairs(a.doubles("x"), a.doubles("y"), a.integers("dim"), false, exact_dot)};
}

/// Every pair of rows takes `each` nanoseconds an element.
std::function<double(const Arguments&)> for_all_pairs(double each) {
  return [each](const Arguments& a) {
    const at::Tensor& y = a.inputs()["x2"];
    const auto rows = static_cast<double>(y.dim() < 2 ? 1 : y.size(-2));
    return each * rows * static_cast<double>(a.inputs()["x1"].numel());
  };
}

const QuadReferences distances{
    {.name = "aten::_cdist_forward",
     .operands = {"x1", "x2", "p"},
     .options = {"compute_mode"},
     .evaluate = all_distances,
     .nanoseconds = for_all_pairs(120)},
    {.name = "aten::_euclidean_dist",
     .operands = {"x1", "x2"},
     .options = {},
     .evaluate = all_distances,
     .nanoseconds = for_all_pairs(120)},
    {.name = "aten::cdist",
     .operands = {"x1", "x2", "p"},
     .options = {"compute_mode"},
     .evaluate = all_distances,
     .nanoseconds = for_all_pairs(120)},
    {.name = "aten::cosine_similarity",
     .operands = {"x1", "x2", "eps"},
     .options = {"dim"},
     .evaluate = cosine_similarity,
     .nanoseconds = per_element(60)},
    {.name = "aten::dist",
     .operands = {"self", "other", "p"},
     .options = {},
     .evaluate = whole_distance,
     .nanoseconds = per_element(120)},
    {.name = "aten::linalg_vecdot",
     .operands = {"x", "y"},
     .options = {"dim"},
     .evaluate = dot_products,
     .nanoseconds = per_element(20)},
    {.name = "aten::pairwise_distance",
     .operands = {"x1", "x2", "p", "eps"},
     .options = {"keepdim"},
     .evaluate = pairwise_distance,
     .nanoseconds = per_element(120)},
};

}  // namespace
}  // namespace plumb::quad
