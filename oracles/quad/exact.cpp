#include "oracles/quad/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumb::quad {
namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// Terms whose sum the 22 bits above a product of mantissas can hold.
constexpr std::size_t kChunk = std::size_t{1} << 20;

/// Exponent given to zero: below that of any product of doubles.
constexpr std::int32_t kExponentOfZero = -20000;
constexpr std::int32_t kLeastExponent = -10000;

/// A fixed-point number of 128 bits before and 128 after the binary point, two's complement.
class Window {
 public:
  /// Adds p·2^-shift, shift >= 0, |p| < 2^106.
  void add(Int128 p, std::int32_t shift) {
    UInt128 fraction = 0;
    if (shift < 128) {
      fraction = (static_cast<UInt128>(p) << (127 - shift)) << 1;
      high_ += p >> shift;
    } else if (shift < 236) {
      fraction = static_cast<UInt128>(p >> (shift - 128));
      high_ += p >> 127;
    } else {
      return;
    }
    low_ += fraction;
    high_ += low_ < fraction ? 1 : 0;
  }

  /// The value times 2^exponent, rounded to a quad.
  Quad value(std::int32_t exponent) const {
    const bool negative = high_ < 0;
    // Magnitude first, so that the two halves do not cancel.
    const UInt128 low = negative ? ~low_ + 1 : low_;
    const Int128 high = negative ? ~high_ + (low == 0 ? 1 : 0) : high_;
    const Quad magnitude = Quad(high) + ldexpq(Quad(low), -128);
    return ldexpq(negative ? -magnitude : magnitude, exponent);
  }

 private:
  Int128 high_ = 0;
  UInt128 low_ = 0;
};

struct Parts {
  std::int64_t mantissa;
  std::int32_t exponent;
};

/// x = mantissa·2^exponent; x is finite.
Parts parts(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto biased = static_cast<std::int32_t>((bits >> 52) & 0x7FF);
  auto mantissa = static_cast<std::int64_t>(bits & 0xFFFFFFFFFFFFFULL);
  if (biased != 0) mantissa |= std::int64_t{1} << 52;
  if (mantissa == 0) return {0, kExponentOfZero};
  return {(bits >> 63) != 0 ? -mantissa : mantissa, std::max(biased, 1) - 1075};
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

Quad chunk_dot(const std::int64_t* ma, const std::int32_t* ea, const std::int64_t* mb,
               const std::int32_t* eb, std::size_t n) {
  std::int32_t top = kExponentOfZero;
  for (std::size_t k = 0; k < n; ++k) top = std::max(top, ea[k] + eb[k]);
  if (top < kLeastExponent) return 0;
  Window window;
  for (std::size_t k = 0; k < n; ++k) {
    window.add(Int128(ma[k]) * mb[k], top - (ea[k] + eb[k]));
  }
  return window.value(top);
}

Quad chunk_sum(std::span<const double> terms, double centre) {
  const Parts middle = parts(centre);
  std::int32_t top = middle.exponent;
  for (const double x : terms) top = std::max(top, parts(x).exponent);
  if (top < kLeastExponent) return 0;
  Window window;
  window.add(-Int128(terms.size()) * middle.mantissa, top - middle.exponent);
  for (const double x : terms) {
    const Parts term = parts(x);
    window.add(term.mantissa, top - term.exponent);
  }
  return window.value(top);
}

}  // namespace

Quad exact_sum(std::span<const double> terms, double centre) {
  Quad sum = 0;
  if (!all_finite(terms) || !std::isfinite(centre)) {
    for (const double x : terms) sum += Quad(x) - Quad(centre);
    return sum;
  }
  for (std::size_t start = 0; start < terms.size(); start += kChunk) {
    sum += chunk_sum(terms.subspan(start, std::min(kChunk, terms.size() - start)), centre);
  }
  return sum;
}

Factor::Factor(const double* values, std::int64_t rows, std::int64_t length)
    : values_(values), length_(static_cast<std::size_t>(length)) {
  const std::size_t count = static_cast<std::size_t>(rows) * length_;
  mantissas_.resize(count);
  exponents_.resize(count);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const std::span<const double> items(values + row * length_, length_);
    finite_.push_back(all_finite(items) ? 1 : 0);
    if (finite_.back() == 0) continue;
    for (std::size_t k = 0; k < length_; ++k) {
      const Parts item = parts(items[k]);
      mantissas_[row * length_ + k] = item.mantissa;
      exponents_[row * length_ + k] = item.exponent;
    }
  }
}

Quad dot(const Factor& a, std::int64_t i, const Factor& b, std::int64_t j) {
  const std::size_t in_a = static_cast<std::size_t>(i) * a.length_;
  const std::size_t in_b = static_cast<std::size_t>(j) * b.length_;
  const bool finite =
      a.finite_[static_cast<std::size_t>(i)] != 0 && b.finite_[static_cast<std::size_t>(j)] != 0;
  Quad sum = 0;
  for (std::size_t start = 0; finite && start < a.length_; start += kChunk) {
    sum += chunk_dot(&a.mantissas_[in_a + start], &a.exponents_[in_a + start],
                     &b.mantissas_[in_b + start], &b.exponents_[in_b + start],
                     std::min(kChunk, a.length_ - start));
  }
  for (std::size_t k = 0; !finite && k < a.length_; ++k) {
    sum += Quad(a.values_[in_a + k]) * Quad(b.values_[in_b + k]);
  }
  return sum;
}

Quad exact_dot(std::span<const double> x, std::span<const double> y) {
  const auto length = static_cast<std::int64_t>(x.size());
  return dot(Factor(x.data(), 1, length), 0, Factor(y.data(), 1, length), 0);
}

}  // namespace plumb::quad
