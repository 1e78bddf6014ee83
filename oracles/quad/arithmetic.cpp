// Sums, products, quotients, remainders, rounding and selection. Integers stay integers, except in
// a division.

#include "oracles/quad/pointwise.hpp"

namespace plumb::quad {
namespace {

/// The remainder with the sign of the divisor.
Quad floored_remainder(Quad x, Quad y) {
  const Quad rest = fmodq(x, y);
  if (rest == 0) return copysignq(rest, y);
  return (rest < 0) == (y < 0) ? rest : rest + y;
}

/// x/y, rounded as `mode` says. The quotient itself is exact: x less its remainder is a multiple.
Quad truncated_quotient(Quad x, Quad y) {
  return is_finite(x) && is_finite(y) && y != 0 ? truncq((x - fmodq(x, y)) / y) : truncq(x / y);
}
/// Python's x // y, infinities included.
Quad floored_quotient(Quad x, Quad y) {
  if (y == 0) return x / y;
  if (fabsq(x) == kInfinity) return kNaN;
  if (fabsq(y) == kInfinity) return x * y < 0 ? Quad(-1) : x / y;
  return rintq((x - floored_remainder(x, y)) / y);
}

Quad greater(Quad x, Quad y) { return is_nan(x) || is_nan(y) ? kNaN : x < y ? y : x; }
Quad lesser(Quad x, Quad y) { return is_nan(x) || is_nan(y) ? kNaN : y < x ? y : x; }
Quad clamped(Quad x, Quad low, Quad high) { return lesser(greater(x, low), high); }

/// Between the ends; exact at both.
Quad interpolated(Quad start, Quad end, Quad weight) {
  return weight < 0.5 ? start + weight * (end - start) : end - (end - start) * (1 - weight);
}

QuadTensors divided(const Arguments& a) {
  const Columns columns = broadcast(a, {"self", "other"});
  const std::string mode = a.text("rounding_mode");
  const auto by = [&](auto f) {
    return QuadTensors{map(columns, f, std::make_index_sequence<2>{})};
  };
  if (mode == "floor") return by(floored_quotient);
  if (mode == "trunc") return by(truncated_quotient);
  return by([](Quad x, Quad y) { return x / y; });
}

constexpr double kInfinite = __builtin_inf();

const QuadReferences arithmetic{
    pointwise("add", {"self", "other", {"alpha", 1}}, 100,
              [](Quad x, Quad y, Quad alpha) { return x + alpha * y; }),
    pointwise("sub", {"self", "other", {"alpha", 1}}, 100,
              [](Quad x, Quad y, Quad alpha) { return x - alpha * y; }),
    pointwise("rsub", {"self", "other", {"alpha", 1}}, 100,
              [](Quad x, Quad y, Quad alpha) { return y - alpha * x; }),
    pointwise("mul", {"self", "other"}, 80, [](Quad x, Quad y) { return x * y; }),
    pointwise("addcmul", {"self", "tensor1", "tensor2", {"value", 1}}, 150,
              [](Quad x, Quad y, Quad z, Quad value) { return x + value * (y * z); }),
    pointwise("addcdiv", {"self", "tensor1", "tensor2", {"value", 1}}, 200,
              [](Quad x, Quad y, Quad z, Quad value) { return x + value * (y / z); }),
    pointwise("lerp", {"self", "end", "weight"}, 200, interpolated),
    pointwise("pow", {"self", "exponent"}, 2500, powq),
    pointwise("square", {"self"}, 80, [](Quad x) { return x * x; }),
    pointwise("abs", {"self"}, 50, fabsq),
    pointwise("neg", {"self"}, 50, [](Quad x) { return -x; }),
    pointwise("fmod", {"self", "other"}, 500, fmodq),
    pointwise("remainder", {"self", "other"}, 500, floored_remainder),
    pointwise("floor_divide", {"self", "other"}, 600, floored_quotient),
};

const QuadReferences division{
    {{.name = "aten::div",
      .operands = {"self", "other"},
      .options = {"rounding_mode"},
      .evaluate = divided,
      .nanoseconds =
          [](const Arguments& a) {
            return 100 * static_cast<double>(broadcast_count(a, {"self", "other"}));
          }},
     pointwise("ldexp", {"self", "other"}, 1000, [](Quad x, Quad y) { return x * exp2q(y); })},
    /*integers_become_floating=*/true};

const QuadReferences rounding{
    pointwise("ceil", {"self"}, 60, ceilq),
    pointwise("floor", {"self"}, 60, floorq),
    pointwise("frac", {"self"}, 60, [](Quad x) { return x - truncq(x); }),
    pointwise("round", {"self"}, 60, rintq),
    pointwise("trunc", {"self"}, 60, truncq),
};

const QuadReferences selection{
    pointwise("clamp", {"self", {"min", -kInfinite}, {"max", kInfinite}}, 60, clamped),
    pointwise("clamp_max", {"self", "max"}, 60, lesser),
    pointwise("clamp_min", {"self", "min"}, 60, greater),
    pointwise("copysign", {"self", "other"}, 60, copysignq),
    pointwise("fmax", {"self", "other"}, 60,
              [](Quad x, Quad y) { return is_nan(x) || x < y ? y : x; }),
    pointwise("fmin", {"self", "other"}, 60,
              [](Quad x, Quad y) { return is_nan(x) || y < x ? y : x; }),
    pointwise("maximum", {"self", "other"}, 60, greater),
    pointwise("minimum", {"self", "other"}, 60, lesser),
    pointwise("where", {"condition", "self", "other"}, 60,
              [](Quad condition, Quad x, Quad y) { return condition != 0 ? x : y; }),
};

}  // namespace
}  // namespace plumb::quad
