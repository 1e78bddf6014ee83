#pragma once

namespace plumb::quad {

/// IEEE binary128: 113 significant bits, exponents to ±16383, so that squares and products of
/// doubles neither round nor overflow. In software: 20 to 40 ns an operation, 1 µs an exponential.
/// n of them in a row err by n·2^-113, which is exact for judging doubles.
__extension__ using Quad = __float128;

}  // namespace plumb::quad

// From libquadmath. Its own header is a GCC-internal one that clang-tidy does not find.
extern "C" {
plumb::quad::Quad acosq(plumb::quad::Quad) noexcept;
plumb::quad::Quad acoshq(plumb::quad::Quad) noexcept;
plumb::quad::Quad asinq(plumb::quad::Quad) noexcept;
plumb::quad::Quad asinhq(plumb::quad::Quad) noexcept;
plumb::quad::Quad atanq(plumb::quad::Quad) noexcept;
plumb::quad::Quad atan2q(plumb::quad::Quad, plumb::quad::Quad) noexcept;
plumb::quad::Quad atanhq(plumb::quad::Quad) noexcept;
plumb::quad::Quad ceilq(plumb::quad::Quad) noexcept;
plumb::quad::Quad copysignq(plumb::quad::Quad, plumb::quad::Quad) noexcept;
plumb::quad::Quad cosq(plumb::quad::Quad) noexcept;
plumb::quad::Quad coshq(plumb::quad::Quad) noexcept;
plumb::quad::Quad erfq(plumb::quad::Quad) noexcept;
plumb::quad::Quad erfcq(plumb::quad::Quad) noexcept;
plumb::quad::Quad expq(plumb::quad::Quad) noexcept;
plumb::quad::Quad exp2q(plumb::quad::Quad) noexcept;
plumb::quad::Quad expm1q(plumb::quad::Quad) noexcept;
plumb::quad::Quad fabsq(plumb::quad::Quad) noexcept;
int finiteq(plumb::quad::Quad) noexcept;
plumb::quad::Quad floorq(plumb::quad::Quad) noexcept;
plumb::quad::Quad fmaq(plumb::quad::Quad, plumb::quad::Quad, plumb::quad::Quad) noexcept;
plumb::quad::Quad fmodq(plumb::quad::Quad, plumb::quad::Quad) noexcept;
plumb::quad::Quad frexpq(plumb::quad::Quad, int*) noexcept;
plumb::quad::Quad hypotq(plumb::quad::Quad, plumb::quad::Quad) noexcept;
plumb::quad::Quad j0q(plumb::quad::Quad) noexcept;
plumb::quad::Quad j1q(plumb::quad::Quad) noexcept;
plumb::quad::Quad ldexpq(plumb::quad::Quad, int) noexcept;
plumb::quad::Quad lgammaq(plumb::quad::Quad) noexcept;
plumb::quad::Quad logq(plumb::quad::Quad) noexcept;
plumb::quad::Quad log10q(plumb::quad::Quad) noexcept;
plumb::quad::Quad log1pq(plumb::quad::Quad) noexcept;
plumb::quad::Quad log2q(plumb::quad::Quad) noexcept;
plumb::quad::Quad powq(plumb::quad::Quad, plumb::quad::Quad) noexcept;
plumb::quad::Quad rintq(plumb::quad::Quad) noexcept;
plumb::quad::Quad sinq(plumb::quad::Quad) noexcept;
plumb::quad::Quad sinhq(plumb::quad::Quad) noexcept;
plumb::quad::Quad sqrtq(plumb::quad::Quad) noexcept;
plumb::quad::Quad tanq(plumb::quad::Quad) noexcept;
plumb::quad::Quad tanhq(plumb::quad::Quad) noexcept;
plumb::quad::Quad truncq(plumb::quad::Quad) noexcept;
plumb::quad::Quad y0q(plumb::quad::Quad) noexcept;
plumb::quad::Quad y1q(plumb::quad::Quad) noexcept;
}

namespace plumb::quad {

/// A constant from the three doubles that add up to it.
constexpr Quad constant(double first, double second, double third) {
  return Quad(first) + Quad(second) + Quad(third);
}

constexpr Quad kPi = constant(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109);
constexpr Quad kLn2 = constant(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111);
constexpr Quad kInfinity = Quad(__builtin_inf());
constexpr Quad kNaN = Quad(__builtin_nan(""));

inline bool is_nan(Quad x) { return x != x; }
inline bool is_finite(Quad x) { return finiteq(x) != 0; }

/// The value at the end of a domain, or beyond it.
inline Quad infinite_or_nan(bool infinite) {
  if (infinite) return kInfinity;
  return kNaN;
}

}  // namespace plumb::quad
