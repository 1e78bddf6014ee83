// What needs more than 113 bits on the way: Boost.Math in 60 decimal digits, some 200 µs a value.

#include "oracles/quad/special.hpp"

#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace plumb::quad {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>,
                                           boost::multiprecision::et_off>;

/// Poles, overflow and the like give infinity or NaN, never an exception.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

/// Exactly, from three doubles: arguments are finite and in the range of double.
Wide widen(Quad x) {
  Wide sum = 0;
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<double>(x);
    sum += part;
    x -= Quad(part);
  }
  return sum;
}

/// In three doubles, which hold more than a quad. Within the range of doubles, or infinite.
Quad narrow(Wide x) {
  Quad sum = 0;
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<double>(x);
    sum += Quad(part);
    if (!is_finite(sum)) break;
    x -= part;
  }
  return sum;
}

/// The value in quad, or the wide one where it is so near a zero that quad has lost bits.
template <typename F>
Quad refined(Quad x, Quad value, F wide) {
  const Quad envelope = x < 1 ? Quad(1) : sqrtq(2 / (kPi * x));
  if (is_finite(value) && fabsq(value) > envelope / 64) return value;
  return is_finite(value) && is_finite(x) && x < 1e9 ? narrow(wide(widen(x))) : value;
}

}  // namespace

Quad wide_digamma(Quad x) { return narrow(boost::math::digamma(widen(x), Quiet())); }

Quad polygamma(int order, Quad x) {
  if (order == 0) return digamma(x);
  if (is_nan(x)) return x;
  const bool pole = x <= 0 && x == floorq(x);
  if (pole) return infinite_or_nan(order % 2 == 1);
  if (!is_finite(x)) return 0;
  return narrow(boost::math::polygamma(order, widen(x), Quiet()));
}

Quad bessel_j0(Quad x) {
  return refined(fabsq(x), j0q(x),
                 [](const Wide& w) { return boost::math::cyl_bessel_j(0, w, Quiet()); });
}

Quad bessel_j1(Quad x) {
  if (fabsq(x) < 1) return j1q(x);
  const Quad size = fabsq(x);
  const Quad value = refined(
      size, j1q(size), [](const Wide& w) { return boost::math::cyl_bessel_j(1, w, Quiet()); });
  return x < 0 ? -value : value;
}

Quad bessel_y0(Quad x) {
  return refined(x, y0q(x), [](const Wide& w) { return boost::math::cyl_neumann(0, w, Quiet()); });
}

Quad bessel_y1(Quad x) {
  return refined(x, y1q(x), [](const Wide& w) { return boost::math::cyl_neumann(1, w, Quiet()); });
}

Quad bessel_k0(Quad x) {
  if (!(x > 0)) return infinite_or_nan(x == 0);
  return x < 800 ? narrow(boost::math::cyl_bessel_k(0, widen(x), Quiet())) : Quad(0);
}

Quad bessel_k1(Quad x) {
  if (!(x > 0)) return infinite_or_nan(x == 0);
  return x < 800 ? narrow(boost::math::cyl_bessel_k(1, widen(x), Quiet())) : Quad(0);
}

}  // namespace plumb::quad
