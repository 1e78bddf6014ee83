// Losses of two tensors, element by element, then their mean, their sum or neither.

#include "oracles/quad/pointwise.hpp"
#include "oracles/quad/special.hpp"

namespace plumb::quad {
namespace {

Quad positive_part(Quad x) { return x < 0 ? Quad(0) : x; }
Quad at_least(Quad x, Quad low) { return x < low ? low : x; }

/// The operator's own definition bounds the logarithms by -100.
Quad cross_entropy(Quad p, Quad target, Quad weight) {
  return -weight * (target * at_least(logq(p), -100) + (1 - target) * at_least(log1pq(-p), -100));
}

/// Two terms of one sign where the usual form x - t x + log(1 + exp(-x)) cancels.
Quad cross_entropy_of_logits(Quad x, Quad target, Quad weight, Quad positive_weight) {
  return weight * (positive_weight * target * softplus(-x) + (1 - target) * softplus(x));
}

Quad divergence(Quad log_q, Quad p, Quad p_is_log) {
  if (p_is_log != 0) return expq(p) * (p - log_q);
  return p == 0 ? -p * log_q : p * (logq(p) - log_q);
}

Quad poisson(Quad x, Quad target, Quad x_is_log, Quad full, Quad eps) {
  const Quad loss = x_is_log != 0 ? expq(x) - target * x : x - target * logq(x + eps);
  if (full == 0 || !(target > 1)) return loss;
  return loss + target * logq(target) - target + logq(2 * kPi * target) / 2;
}

Quad smooth_distance(Quad x, Quad target, Quad beta) {
  const Quad size = fabsq(x - target);
  return size < beta ? size * size / (2 * beta) : size - beta / 2;
}

Quad huber(Quad x, Quad target, Quad delta) {
  const Quad size = fabsq(x - target);
  return size <= delta ? size * size / 2 : delta * (size - delta / 2);
}

Quad hinge(Quad x, Quad target, Quad margin) {
  return (target == -1 ? Quad(0) : x) + (target == 1 ? Quad(0) : positive_part(margin - x));
}

const QuadReferences losses{
    loss("binary_cross_entropy", {"self", "target", {"weight", 1}}, 2500, cross_entropy),
    loss("binary_cross_entropy_with_logits", {"self", "target", {"weight", 1}, {"pos_weight", 1}},
         4500, cross_entropy_of_logits),
    loss("hinge_embedding_loss", {"self", "target", "margin"}, 100, hinge),
    loss("huber_loss", {"self", "target", "delta"}, 150, huber),
    loss("kl_div", {"self", "target", "log_target"}, 1200, divergence),
    loss("l1_loss", {"self", "target"}, 100, [](Quad x, Quad y) { return fabsq(x - y); }),
    loss("margin_ranking_loss", {"input1", "input2", "target", "margin"}, 200,
         [](Quad x, Quad y, Quad target, Quad margin) {
           return positive_part(-target * (x - y) + margin);
         }),
    loss("mse_loss", {"self", "target"}, 120, [](Quad x, Quad y) { return (x - y) * (x - y); }),
    loss("poisson_nll_loss", {"input", "target", "log_input", "full", "eps"}, 3500, poisson),
    loss("smooth_l1_loss", {"self", "target", "beta"}, 200, smooth_distance),
    loss("soft_margin_loss", {"self", "target"}, 2300,
         [](Quad x, Quad target) { return softplus(-target * x); }),
};

}  // namespace
}  // namespace plumb::quad
