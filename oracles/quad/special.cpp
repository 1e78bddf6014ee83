#include "oracles/quad/special.hpp"

namespace plumb::quad {
namespace {

// √½, what rounding it to a quad leaves out, and √π.
constexpr Quad kSqrtHalf =
    constant(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55, 0x1.57d3e3adec175p-109);
constexpr Quad kSqrtHalfRest = Quad(0x1.f4f8eb7b05d45p-115);
constexpr Quad kSqrtPi =
    constant(0x1.c5bf891b4ef6bp+0, -0x1.618f13eb7ca89p-54, -0x1.b1f0071b7aae4p-110);

constexpr double kRelativeTerm = 0x1p-118;  // terms below this part of a sum are left out
constexpr double kTail = 12;  // from here asymptotic series come within exp(-x²) < 2^-200

/// B_2k/(2k), k = 1 … 16.
constexpr Quad kDigammaTerms[] = {Quad(1) / 12,
                                  Quad(-1) / 120,
                                  Quad(1) / 252,
                                  Quad(-1) / 240,
                                  Quad(1) / 132,
                                  Quad(-691) / 32760,
                                  Quad(1) / 12,
                                  Quad(-3617) / 8160,
                                  Quad(43867) / 14364,
                                  Quad(-174611) / 6600,
                                  Quad(77683) / 276,
                                  Quad(-236364091) / 65520,
                                  Quad(657931) / 12,
                                  Quad(-3392780147) / 3480,
                                  Quad(1723168255201) / 85932,
                                  Quad(-7709321041217) / 16320};

/// erfc(x/√2). Rounding x/√2 alone would cost x² ulps in the tail.
Quad erfc_of_root(Quad x) {
  const Quad z = x * kSqrtHalf;
  const Quad value = erfcq(z);
  if (!(fabsq(x) < 200)) return value;  // 0, 2 or NaN
  const Quad rest = fmaq(x, kSqrtHalf, -z) + x * kSqrtHalfRest;
  return value - 2 / kSqrtPi * expq(-z * z) * rest;
}

/// exp(x²) erfc(x) for x >= kTail.
Quad erfcx_tail(Quad x) {
  const Quad step = 1 / (2 * x * x);
  Quad term = 1;
  Quad sum = 1;
  for (int k = 1; fabsq(term) > Quad(kRelativeTerm); ++k) {
    term *= -(2 * k - 1) * step;
    sum += term;
  }
  return sum / (x * kSqrtPi);
}

/// The x with erf(x) = y, 0 <= y < 0.6, by Halley's iteration: each step triples the digits.
Quad erfinv_centre(Quad y) {
  Quad x = y * kSqrtPi / 2;
  for (int i = 0; i < 6; ++i) {
    const Quad step = (erfq(x) - y) * kSqrtPi / 2 * expq(x * x);
    x -= step / (1 + x * step);
    if (fabsq(step) <= Quad(0x1p-60) * x) break;
  }
  return x;
}

/// The x with erfc(x) = q, 0 < q < 0.5, by Newton's iteration on log erfc, which is concave.
Quad erfcinv(Quad q) {
  Quad x = sqrtq(-logq(q));
  for (int i = 0; i < 20; ++i) {
    const Quad value = erfcq(x);
    const Quad step = logq(value / q) * value * kSqrtPi / 2 * expq(x * x);
    x += step;
    if (fabsq(step) <= Quad(0x1p-58) * x) break;
  }
  return x;
}

/// Σ (x²/4)^k / (k! (k+order)!), the even part of I_order.
Quad bessel_i_series(int order, Quad x) {
  const Quad quarter = x * x / 4;
  Quad term = 1;
  Quad sum = 1;
  for (int k = 1; term > Quad(kRelativeTerm) * sum; ++k) {
    term *= quarter / (Quad(k) * (k + order));
    sum += term;
  }
  return sum;
}

/// √(2πx) exp(-x) I_order(x) for x >= 50.
Quad bessel_i_tail(int order, Quad x) {
  Quad term = 1;
  Quad sum = 1;
  for (int k = 1; fabsq(term) > Quad(kRelativeTerm); ++k) {
    term *= -Quad(4 * order * order - (2 * k - 1) * (2 * k - 1)) / (8 * k * x);
    sum += term;
  }
  return sum;
}

/// exp(-|x|) I_order(|x|).
Quad bessel_ie(int order, Quad x) {
  x = fabsq(x);
  if (is_nan(x)) return x;
  if (x >= 50) return is_finite(x) ? bessel_i_tail(order, x) / sqrtq(2 * kPi * x) : Quad(0);
  return expq(-x) * bessel_i_series(order, x) * (order == 1 ? x / 2 : Quad(1));
}

}  // namespace

Quad sigmoid(Quad x) { return 1 / (1 + expq(-x)); }

Quad log_sigmoid(Quad x) { return x >= 0 ? -log1pq(expq(-x)) : x - log1pq(expq(x)); }

Quad softplus(Quad x) { return -log_sigmoid(-x); }

Quad logit(Quad x) {
  if (x < 0 || x > 1) return kNaN;
  // Near 1/2 the quotient is near 1.
  if (x > 0.25 && x < 0.75) return log1pq((2 * x - 1) / (1 - x));
  return logq(x / (1 - x));
}

Quad log_add_exp(Quad x, Quad y) {
  if (is_nan(x) || is_nan(y)) return kNaN;
  const Quad greater = x > y ? x : y;
  return is_finite(greater) ? greater + log1pq(expq(-fabsq(x - y))) : greater;
}

Quad log_add_exp2(Quad x, Quad y) {
  if (is_nan(x) || is_nan(y)) return kNaN;
  const Quad greater = x > y ? x : y;
  return is_finite(greater) ? greater + log1pq(exp2q(-fabsq(x - y))) / kLn2 : greater;
}

Quad tanhshrink(Quad x) {
  if (!(fabsq(x) < 1)) return x - tanhq(x);
  // (x cosh x - sinh x)/cosh x; the numerator is Σ 2k x^(2k+1)/(2k+1)!.
  Quad power = x;  // x^(2k+1)/(2k+1)!
  Quad sum = 0;
  for (int k = 1; k < 20; ++k) {
    power *= x * x / (2 * k * (2 * k + 1));
    sum += 2 * k * power;
  }
  return sum / coshq(x);
}

Quad sinc(Quad x) {
  if (x == 0) return 1;
  const Quad nearest = rintq(x);
  const Quad sine = sinq(kPi * (x - nearest));
  return (fmodq(nearest, 2) == 0 ? sine : -sine) / (kPi * x);
}

Quad ndtr(Quad x) { return erfc_of_root(-x) / 2; }

Quad log_ndtr(Quad x) {
  if (x > -20) return x > 0 ? log1pq(-ndtr(-x)) : logq(ndtr(x));
  if (!is_finite(x)) return x;
  return -x * x / 2 + logq(erfcx_tail(-x * kSqrtHalf) / 2);
}

Quad erfcx(Quad x) {
  if (x < kTail) return expq(x * x) * erfcq(x);
  return is_finite(x) ? erfcx_tail(x) : 1 / x;
}

Quad erfinv(Quad y) {
  const Quad size = fabsq(y);
  if (!(size < 1)) return size == 1 ? y * kInfinity : kNaN;
  return copysignq(size < 0.6 ? erfinv_centre(size) : erfcinv(1 - size), y);
}

Quad ndtri(Quad p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -kInfinity : infinite_or_nan(p == 1);
  if (p < 0.25) return -erfcinv(2 * p) / kSqrtHalf;
  if (p > 0.75) return erfcinv(2 * (1 - p)) / kSqrtHalf;
  return erfinv(2 * p - 1) / kSqrtHalf;
}

Quad digamma(Quad x) {
  if (x == 0) return -copysignq(kInfinity, x);
  if (x < 0 && x == floorq(x)) return kNaN;
  if (x < 0.5) {
    const Quad mirrored = digamma(1 - x);
    const Quad value = mirrored - kPi / tanq(kPi * (x - rintq(x)));
    return fabsq(value) < Quad(0.01) * (1 + fabsq(mirrored)) ? wide_digamma(x) : value;
  }
  if (x > 1.45 && x < 1.475) return wide_digamma(x);  // it has a zero there
  Quad sum = 0;
  while (x < 24) {
    sum -= 1 / x;
    x += 1;
  }
  const Quad step = 1 / (x * x);
  Quad power = 1;
  for (const Quad term : kDigammaTerms) {
    power *= step;
    sum -= power * term;
  }
  return sum + logq(x) - 1 / (2 * x);
}

Quad bessel_i0e(Quad x) { return bessel_ie(0, x); }

Quad bessel_i1e(Quad x) { return copysignq(bessel_ie(1, x), x); }

Quad bessel_i0(Quad x) {
  x = fabsq(x);
  return x < 50 ? bessel_i_series(0, x) : is_finite(x) ? expq(x) * bessel_ie(0, x) : x;
}

Quad bessel_i1(Quad x) {
  if (fabsq(x) < 50) return x / 2 * bessel_i_series(1, x);
  return is_finite(x) ? copysignq(expq(fabsq(x)) * bessel_ie(1, x), x) : x;
}

}  // namespace plumb::quad
