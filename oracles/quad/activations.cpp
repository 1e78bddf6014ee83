// Activation functions, each by its mathematical definition: no saturation short of the limits of
// the arithmetic, no approximation unless it is the operator's own.

#include "oracles/quad/pointwise.hpp"
#include "oracles/quad/special.hpp"

namespace plumb::quad {
namespace {

// Constants of the operator, which has them in double.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

/// x Φ(x).
Quad gelu(Quad x) {
  if (!is_finite(x)) return x < 0 ? Quad(0) : x;
  return x * ndtr(x);
}

/// x (1 + tanh u)/2 with u = √(2/π)(x + 0.044715 x³): the same as x sigmoid(2u).
Quad gelu_by_tanh(Quad x) {
  if (!is_finite(x)) return x < 0 ? Quad(0) : x;
  static const Quad twice_root = sqrtq(8 / kPi);
  static const Quad cubic = Quad(44715) / 1000000;
  return x * sigmoid(twice_root * x * (1 + cubic * x * x));
}

QuadTensors gelu_of(const Arguments& a) {
  const Columns columns = broadcast(a, {"self"});
  const bool by_tanh = a.text("approximate") == "tanh";
  return {map(columns, by_tanh ? gelu_by_tanh : gelu, std::make_index_sequence<1>{})};
}

Quad silu(Quad x) {
  if (!is_finite(x)) return x < 0 ? Quad(0) : x;
  return x * sigmoid(x);
}

/// x tanh(log(1 + e^x)).
Quad mish(Quad x) {
  if (!is_finite(x)) return x < 0 ? Quad(0) : x;
  if (x > 100) return x;
  const Quad t = expq(x);
  return x * (t * (t + 2)) / (t * (t + 2) + 2);
}

/// log(1 + exp(beta x))/beta, and x itself where beta x exceeds the threshold: an argument of the
/// operator, so part of its definition.
Quad softplus_of(Quad x, Quad beta, Quad threshold) {
  return x * beta > threshold ? x : softplus(x * beta) / beta;
}

Quad elu(Quad x, Quad alpha, Quad scale, Quad input_scale) {
  return x <= 0 ? scale * alpha * expm1q(input_scale * x) : scale * x;
}

Quad hard_clip(Quad x, Quad low, Quad high) { return x < low ? low : x > high ? high : x; }

Quad soft_shrink(Quad x, Quad lambd) {
  if (fabsq(x) <= lambd) return 0;
  return x > 0 ? x - lambd : x + lambd;
}

const QuadReferences smooth{
    {.name = "aten::gelu",
     .operands = {"self"},
     .options = {"approximate"},
     .evaluate = gelu_of,
     .nanoseconds = per_element(3000)},
    pointwise("celu", {"self", {"alpha", 1}}, 1200,
              [](Quad x, Quad alpha) { return x > 0 ? x : alpha * expm1q(x / alpha); }),
    pointwise("elu", {"self", {"alpha", 1}, {"scale", 1}, {"input_scale", 1}}, 1200, elu),
    pointwise("log_sigmoid", {"self"}, 2200, log_sigmoid),
    pointwise("mish", {"self"}, 1200, mish),
    pointwise("selu", {"self"}, 1200,
              [](Quad x) { return elu(x, Quad(kSeluAlpha), Quad(kSeluScale), 1); }),
    pointwise("silu", {"self"}, 1100, silu),
    pointwise("softplus", {"self", {"beta", 1}, {"threshold", 20}}, 2200, softplus_of),
    pointwise("tanhshrink", {"self"}, 2500, tanhshrink),
};

const QuadReferences piecewise{
    pointwise("hardshrink", {"self", {"lambd", 0.5}}, 60,
              [](Quad x, Quad lambd) { return fabsq(x) <= lambd ? Quad(0) : x; }),
    pointwise("hardsigmoid", {"self"}, 200, [](Quad x) { return hard_clip(x + 3, 0, 6) / 6; }),
    pointwise("hardswish", {"self"}, 250,
              [](Quad x) { return x < -3 ? Quad(0) : x * hard_clip(x + 3, 0, 6) / 6; }),
    pointwise("hardtanh", {"self", {"min_val", -1}, {"max_val", 1}}, 60, hard_clip),
    pointwise("leaky_relu", {"self", {"negative_slope", 0.01}}, 80,
              [](Quad x, Quad slope) { return x > 0 ? x : x * slope; }),
    pointwise("relu", {"self"}, 60, [](Quad x) { return x < 0 ? Quad(0) : x; }),
    pointwise("relu6", {"self"}, 60, [](Quad x) { return hard_clip(x, 0, 6); }),
    pointwise("softshrink", {"self", {"lambd", 0.5}}, 60, soft_shrink),
    pointwise("threshold", {"self", "threshold", "value"}, 60,
              [](Quad x, Quad threshold, Quad value) { return x <= threshold ? value : x; }),
};

}  // namespace
}  // namespace plumb::quad
