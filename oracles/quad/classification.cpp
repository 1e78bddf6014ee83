// Losses that look a class up: nll_loss of log-probabilities, cross_entropy_loss of logits.

#include "oracles/quad/rows.hpp"
#include "oracles/quad/statistics.hpp"

namespace plumb::quad {
namespace {

using Row = std::span<const double>;

/// Scores (n, classes, rest…), (n, classes) or (classes), with the class index made the row.
struct Samples {
  Rows scores;
  at::Tensor target;
  at::Tensor weight;  // undefined: ones

  explicit Samples(const Arguments& a)
      : scores(rows(a.doubles("self"), {a.inputs()["self"].dim() == 1 ? 0 : 1}, false)),
        target(a.inputs()["target"].to(at::kCPU, at::kLong).contiguous()) {
    if (a.has("weight")) weight = a.doubles("weight");
  }

  std::int64_t target_of(std::size_t i) const { return target.const_data_ptr<std::int64_t>()[i]; }
  Quad weight_of(std::int64_t target) const {
    return weight.defined() ? Quad(weight.const_data_ptr<double>()[target]) : Quad(1);
  }
};

/// f(row, class) of every sample, weighted; the mean is by the weights. Ignored samples are 0.
template <typename F>
QuadTensors losses(const Arguments& a, const F& f) {
  const Samples samples(a);
  const std::int64_t ignored = a.integer("ignore_index", -100);
  QuadTensor each{samples.scores.shape, std::vector<Quad>(samples.scores.count)};
  Quad sum = 0;
  Quad weights = 0;
  for (std::size_t i = 0; i < samples.scores.count; ++i) {
    const std::int64_t target = samples.target_of(i);
    if (target == ignored) continue;
    const Quad weight = samples.weight_of(target);
    each.data[i] = weight * f(samples.scores[i], std::size_t(target));
    sum += each.data[i];
    weights += weight;
  }
  const std::int64_t reduction = a.integer("reduction", 1);
  if (reduction == 0) return {each};
  return {{{}, {reduction == 1 ? sum / weights : sum}}};
}

Quad negative_log(Row row, std::size_t target) { return -Quad(row[target]); }

Quad cross_entropy(Row row, std::size_t target) {
  const LogSumExp total = log_sum_exp(row);
  return total.rest + (total.peak - Quad(row[target]));
}

/// Targets must be indices of classes that exist.
std::optional<std::string> refuses(const Arguments& a) {
  const at::Tensor& target = a.inputs()["target"];
  const at::Tensor& self = a.inputs()["self"];
  if (at::isFloatingType(target.scalar_type())) return "targets that are probabilities";
  if (self.dim() == 0) return "a score without classes";
  const std::int64_t classes = self.size(self.dim() == 1 ? 0 : 1);
  if (target.numel() * classes != self.numel()) return "shapes that do not fit";
  const at::Tensor indices = target.to(at::kCPU, at::kLong).contiguous();
  const std::int64_t ignored = a.integer("ignore_index", -100);
  for (std::int64_t i = 0; i < indices.numel(); ++i) {
    const std::int64_t index = indices.const_data_ptr<std::int64_t>()[i];
    if (index != ignored && (index < 0 || index >= classes)) return "a target that is no class";
  }
  return std::nullopt;
}

QuadReference classification(std::string name, double each,
                             std::function<QuadTensors(const Arguments&)> evaluate) {
  return {.name = "aten::" + std::move(name),
          .operands = {"self", "weight"},
          .options = {"target", "reduction", "ignore_index"},
          .evaluate = std::move(evaluate),
          .nanoseconds = per_element(each),
          .refuses = refuses};
}

QuadTensors nll_loss(const Arguments& a) { return losses(a, negative_log); }

const QuadReferences classifications{
    classification("cross_entropy_loss", 1100,
                   [](const Arguments& a) { return losses(a, cross_entropy); }),
    classification("nll_loss", 20, nll_loss),
    classification("nll_loss2d", 20, nll_loss),
    classification("nll_loss_nd", 20, nll_loss),
};

}  // namespace
}  // namespace plumb::quad
