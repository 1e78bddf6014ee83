// Exponentials, logarithms, powers, trigonometric and special functions. Integers become floating.
// One line an operator: name, operands, nanoseconds an element takes, definition.

#include "oracles/quad/pointwise.hpp"
#include "oracles/quad/special.hpp"

namespace plumb::quad {
namespace {

constexpr bool kIntegersBecomeFloating = true;

Quad log_gamma(Quad x) { return is_finite(x) ? lgammaq(x) : fabsq(x); }

/// x log y, 0 where x is 0 unless y is NaN.
Quad x_log_y(Quad x, Quad y) { return x == 0 && !is_nan(y) ? Quad(0) : x * logq(y); }
Quad x_log1p_y(Quad x, Quad y) { return x == 0 && !is_nan(y) ? Quad(0) : x * log1pq(y); }

Quad entropy(Quad x) { return x == 0 ? Quad(0) : x < 0 ? -kInfinity : -x * logq(x); }

Quad spherical_bessel_j0(Quad x) {
  if (x == 0) return 1;
  return fabsq(x) == kInfinity ? Quad(0) : sinq(x) / x;
}

/// log Γ of p dimensions.
Quad multivariate_log_gamma(Quad x, Quad p) {
  Quad sum = p * (p - 1) / 4 * logq(kPi);
  for (int i = 0; i < static_cast<int>(p); ++i) sum += log_gamma(x - Quad(i) / 2);
  return sum;
}

/// With eps, x is first brought into [eps, 1 - eps].
Quad clamped_logit(Quad x, Quad eps) {
  if (x < eps) return logit(eps);
  return x > 1 - eps && eps >= 0 ? logit(1 - eps) : logit(x);
}

const QuadReferences exponentials{
    {
        pointwise("exp", {"self"}, 1000, expq),
        pointwise("exp2", {"self"}, 1000, exp2q),
        pointwise("expm1", {"self"}, 1100, expm1q),
        pointwise("log", {"self"}, 1000, logq),
        pointwise("log10", {"self"}, 1000, log10q),
        pointwise("log1p", {"self"}, 1200, log1pq),
        pointwise("log2", {"self"}, 1200, log2q),
        pointwise("float_power", {"self", "exponent"}, 2500, powq),
        pointwise("hypot", {"self", "other"}, 500, hypotq),
        pointwise("logaddexp", {"self", "other"}, 2300, log_add_exp),
        pointwise("logaddexp2", {"self", "other"}, 2400, log_add_exp2),
        pointwise("sqrt", {"self"}, 300, sqrtq),
        pointwise("rsqrt", {"self"}, 400, [](Quad x) { return 1 / sqrtq(x); }),
        pointwise("reciprocal", {"self"}, 100, [](Quad x) { return 1 / x; }),
        pointwise("xlogy", {"self", "other"}, 1100, x_log_y),
        pointwise("special_xlog1py", {"self", "other"}, 1300, x_log1p_y),
        pointwise("special_entr", {"self"}, 1100, entropy),
    },
    kIntegersBecomeFloating};

const QuadReferences trigonometry{
    {
        pointwise("acos", {"self"}, 1200, acosq),
        pointwise("acosh", {"self"}, 1300, acoshq),
        pointwise("asin", {"self"}, 1100, asinq),
        pointwise("asinh", {"self"}, 1400, asinhq),
        pointwise("atan", {"self"}, 700, atanq),
        pointwise("atan2", {"self", "other"}, 700, atan2q),
        pointwise("atanh", {"self"}, 1400, atanhq),
        pointwise("cos", {"self"}, 900, cosq),
        pointwise("cosh", {"self"}, 1100, coshq),
        pointwise("sin", {"self"}, 900, sinq),
        pointwise("sinc", {"self"}, 1000, sinc),
        pointwise("sinh", {"self"}, 1400, sinhq),
        pointwise("tan", {"self"}, 1000, tanq),
        pointwise("tanh", {"self"}, 1300, tanhq),
        pointwise("deg2rad", {"self"}, 100, [](Quad x) { return x * kPi / 180; }),
        pointwise("rad2deg", {"self"}, 150, [](Quad x) { return x * 180 / kPi; }),
    },
    kIntegersBecomeFloating};

const QuadReferences special_functions{
    {
        pointwise("digamma", {"self"}, 3500, digamma),
        pointwise("erf", {"self"}, 2200, erfq),
        pointwise("erfc", {"self"}, 2800, erfcq),
        pointwise("erfinv", {"self"}, 8000, erfinv),
        pointwise("lgamma", {"self"}, 6000, log_gamma),
        pointwise("logit", {"self", {"eps", -1}}, 1200, clamped_logit),
        pointwise("mvlgamma", {"self", "p"}, 20000, multivariate_log_gamma),
        pointwise("polygamma", {"n", "self"}, 300000,
                  [](Quad n, Quad x) { return polygamma(static_cast<int>(n), x); }),
        pointwise("sigmoid", {"self"}, 1100, sigmoid),
        pointwise("special_bessel_j0", {"self"}, 12000, bessel_j0),
        pointwise("special_bessel_j1", {"self"}, 12000, bessel_j1),
        pointwise("special_bessel_y0", {"self"}, 12000, bessel_y0),
        pointwise("special_bessel_y1", {"self"}, 12000, bessel_y1),
        pointwise("special_erfcx", {"self"}, 4000, erfcx),
        pointwise("special_i0", {"self"}, 3000, bessel_i0),
        pointwise("special_i0e", {"self"}, 3000, bessel_i0e),
        pointwise("special_i1", {"self"}, 3000, bessel_i1),
        pointwise("special_i1e", {"self"}, 3000, bessel_i1e),
        pointwise("special_log_ndtr", {"self"}, 4000, log_ndtr),
        pointwise("special_modified_bessel_k0", {"self"}, 2e6, bessel_k0),
        pointwise("special_modified_bessel_k1", {"self"}, 2e6, bessel_k1),
        pointwise("special_ndtr", {"self"}, 3000, ndtr),
        pointwise("special_ndtri", {"self"}, 10000, ndtri),
        pointwise("special_spherical_bessel_j0", {"x"}, 1000, spherical_bessel_j0),
    },
    kIntegersBecomeFloating};

}  // namespace
}  // namespace plumb::quad
