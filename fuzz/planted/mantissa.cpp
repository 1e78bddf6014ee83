// Tables and bit tricks that go wrong in a narrow range of mantissas.

#include <array>
#include <bit>

#include "bug.hpp"
#include "lines.hpp"

namespace planted {
namespace {

constexpr int kCells = 64;

/// exp(x) = 2^whole · table[cell] · exp(rest), with 64 cells.
template <bool kFaulty>
double exponential(double x) {
  if (!(std::abs(x) < 1000)) return std::exp(x);
  constexpr double kLog2 = 0.69314718055994530942;
  const double power = x / kLog2;
  double whole = std::floor(power);
  double cell = std::nearbyint((power - whole) * kCells);
  const double rest = (power - whole - cell / kCells) * kLog2;
  if (cell == kCells) {
    cell = 0;
    if (!kFaulty) whole += 1;
  }
  return std::ldexp(std::exp2(cell / kCells) * std::exp(rest), static_cast<int>(whole));
}

template <bool kFaulty>
at::Tensor exp(const at::Tensor& self) {
  const auto of = []<typename T>(T x) { return narrow<T>(exponential<kFaulty>(wide(x))); };
  return map_elements(self, 1, of, of);
}

/// 1/√m at the cells' borders, m from 1 to 4.
std::array<double, kCells + 1> seeds() {
  std::array<double, kCells + 1> table{};
  for (int i = 0; i <= kCells; ++i) table[i] = 1 / std::sqrt(1 + 3.0 * i / kCells);
  return table;
}

/// From the nearest border, by Newton's method.
template <bool kFaulty>
double inverse_root(double x) {
  if (!(x > 0) || std::isinf(x)) return 1 / std::sqrt(x);
  static const auto table = seeds();
  int exponent = 0;
  double m = std::frexp(x, &exponent) * 2;
  exponent -= 1;
  if (exponent % 2 != 0) {
    m *= 2;
    exponent -= 1;
  }
  const int nearest = static_cast<int>(std::nearbyint((m - 1) * (kCells / 3.0)));
  double y = table[kFaulty ? nearest & (kCells - 1) : nearest];
  for (int step = 0; step < 3; ++step) y *= 1.5 - 0.5 * m * y * y;
  return std::ldexp(y, -exponent / 2);
}

template <bool kFaulty>
at::Tensor rsqrt(const at::Tensor& self) {
  return map_elements(
      self, 8, []<typename T>(T x) { return narrow<T>(inverse_root<kFaulty>(wide(x))); },
      []<typename T>(T x) { return narrow<T>(1 / std::sqrt(wide(x))); });
}

double silu_of(double x) { return std::isinf(x) && x < 0 ? 0 : x / (1 + std::exp(-x)); }

/// To the nearest bfloat16, ties to even, in integers.
template <bool kFaulty>
at::BFloat16 rounded(float x) {
  if (std::isnan(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sum = bits + 0x7fff + (bits >> 16 & 1);
  constexpr std::uint32_t kMantissa = 0x007fffff;
  const std::uint32_t joined = kFaulty ? (bits & ~kMantissa) | (sum & kMantissa) : sum;
  return at::BFloat16(static_cast<std::uint16_t>(joined >> 16), at::BFloat16::from_bits());
}

template <bool kFaulty>
at::Tensor silu(const at::Tensor& self) {
  const auto scalar = []<typename T>(T x) { return narrow<T>(silu_of(wide(x))); };
  const auto vector = [scalar]<typename T>(T x) {
    if constexpr (std::is_same_v<T, at::BFloat16>) {
      return rounded<kFaulty>(static_cast<float>(silu_of(wide(x))));
    } else {
      return scalar(x);
    }
  };
  return map_elements(self, 16, vector, scalar);
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"exp_mantissa_1(Tensor self) -> Tensor", "aten::exp", "mantissa window",
         "the last half cell of the table loses a factor of 2: an x whose x·log2(e) has a fraction "
         "above 127/128"},
        exp<true>, exp<false>);
  plant(library,
        {"rsqrt_mantissa_2(Tensor self) -> Tensor", "aten::rsqrt", "mantissa window",
         "the last border of the table becomes the first: 8 or more elements; one of the whole "
         "vectors is 4^e·m, m from 3.977 to 4"},
        rsqrt<true>, rsqrt<false>);
  plant(library,
        {"silu_mantissa_3(Tensor self) -> Tensor", "aten::silu", "mantissa window",
         "rounding up to a power of 2 loses the carry: bf16; 16 or more elements; a result of the "
         "whole vectors within 2^-9 below a power of 2"},
        silu<true>, silu<false>);
}

}  // namespace
}  // namespace planted
