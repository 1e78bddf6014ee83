#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/compare_tally.hpp"

/// A comparison in one pass by a grid of threads. What each thread does and how their figures are
/// merged is written here once: a device runs it, and the tests run it thread by thread.
namespace plumb::grid {

inline constexpr unsigned kThreads = 128;  // of a block; a power of two
inline constexpr unsigned kMostBlocks = 1024;
inline constexpr std::size_t kPerThread = 8;  // elements that are worth a thread
inline constexpr std::size_t kBatch = 4;      // read before the first is used: memory is far away

/// Depends on n alone, so that every device adds up in the same order.
inline unsigned blocks_for(std::size_t n) {
  const std::size_t wanted = (n + kThreads * kPerThread - 1) / (kThreads * kPerThread);
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < kMostBlocks ? wanted : kMostBlocks);
}

/// A sum of squares that neither overflows nor loses what is tiny: numbers beyond a threshold are
/// scaled by a power of two before they are squared, and added up apart (Blue's algorithm).
struct SquareSum {
  double tiny = 0;
  double usual = 0;
  double huge = 0;

  PLUMB_HOST_DEVICE void add(double x) {
    if (x > kHuge) {
      add_huge(x * kDown);
    } else if (x < kTiny) {
      const double scaled = x * kUp;
      tiny += scaled * scaled;
    } else {
      usual += x * x;
    }
  }
  /// A number given as 2^-600 of it.
  PLUMB_HOST_DEVICE void add_huge(double scaled) { huge += scaled * scaled; }
  PLUMB_HOST_DEVICE void merge(const SquareSum& other) {
    tiny += other.tiny;
    usual += other.usual;
    huge += other.huge;
  }

  long double value() const {
    const long double up = kUp;
    return huge * up * up + usual + tiny / up / up;
  }

  static constexpr double kHuge = 0x1p450;
  static constexpr double kTiny = 0x1p-450;
  static constexpr double kUp = 0x1p600;
  static constexpr double kDown = 0x1p-600;
};

/// `Distances` without the sums, which have no type of extended range on a device.
struct Figures {
  bool exact = true;
  double max_abs = 0;
  double max_rel = 0;
  std::int64_t max_ulp = 0;
  std::size_t nan = 0, inf = 0;
  std::size_t wrong_nonfinite = 0, masked = 0, overflowed = 0, flushed = 0;
  std::optional<std::size_t> first_nan, first_inf;
  std::optional<std::size_t> first_wrong_nonfinite, first_masked, first_overflowed, first_flushed;
  double r = 0;
  double rho = 0;
  std::size_t worst = 0;
  std::size_t unprobed = 0;
};

/// What is compared, as a device sees it. `hi` or `narrow` is given, as in `Expected`.
struct Data {
  Format format = Format::f32;
  const void* y = nullptr;
  Expected expected;
  const double* sensitivity = nullptr;
  std::size_t n = 0;
};

/// `format` as an argument of its own: where it is a constant, reading takes no branch.
PLUMB_HOST_DEVICE inline Pair pair_at(const Data& data, Format format, std::size_t i) {
  const Expected& g = data.expected;
  return {.y = arithmetic::load(format, data.y, i),
          .hi = g.hi != nullptr ? g.hi[i] : static_cast<double>(g.narrow[i]),
          .lo = g.hi != nullptr && g.lo != nullptr ? g.lo[i] : 0,
          .spread = data.sensitivity != nullptr ? data.sensitivity[i] : 0};
}

/// The figures of some elements.
struct Cell {
  Figures figures;
  bool any_ratio = false;
  SquareSum error, expected, bound;

  /// Adds those of other elements. In any order, but for the last bits of the sums.
  PLUMB_HOST_DEVICE void merge(const Cell& other);
  Distances distances(std::size_t n) const;
};

PLUMB_HOST_DEVICE inline void add_squares(Cell& cell, const Pair& pair, const BoundTerms& b) {
  const Terms terms = terms_of(pair, b);
  if (!std::isfinite(pair.y) || !std::isfinite(terms.size)) return;
  if (std::isfinite(terms.error)) {
    cell.error.add(terms.error);
  } else {  // both are huge, and of opposite sign
    const double down = SquareSum::kDown;
    cell.error.add_huge((pair.y * down - pair.hi * down) - pair.lo * down);
  }
  cell.expected.add(terms.size);
  cell.bound.add(terms.bound);
}

/// The figures of every `threads`-th element from `thread` on.
PLUMB_HOST_DEVICE inline Cell cell_of_thread(const Data& data, Format format,
                                             const FormatTraits& traits, const BoundTerms& bound,
                                             std::size_t thread, std::size_t threads) {
  Cell cell;
  TallyInto<Figures> tally(traits, bound);
  for (std::size_t i = thread; i < data.n; i += threads * kBatch) {
    Pair pairs[kBatch];
    PLUMB_UNROLL
    for (std::size_t k = 0; k < kBatch; ++k) {
      const std::size_t place = i + k * threads;
      if (place < data.n) pairs[k] = pair_at(data, format, place);
    }
    PLUMB_UNROLL
    for (std::size_t k = 0; k < kBatch; ++k) {
      const std::size_t place = i + k * threads;
      if (place < data.n) {
        tally.add(place, pairs[k]);
        add_squares(cell, pairs[k], bound);
      }
    }
  }
  cell.figures = tally.figures();
  cell.any_ratio = tally.any_ratio();
  return cell;
}

namespace detail {

PLUMB_HOST_DEVICE inline void merge_count(std::size_t& count, std::optional<std::size_t>& first,
                                          std::size_t more,
                                          const std::optional<std::size_t>& other) {
  count += more;
  if (other && (!first || *other < *first)) first = other;
}

}  // namespace detail

PLUMB_HOST_DEVICE inline void Cell::merge(const Cell& other) {
  Figures& a = figures;
  const Figures& b = other.figures;
  a.exact = a.exact && b.exact;
  a.max_abs = arithmetic::larger(a.max_abs, b.max_abs);
  a.max_rel = arithmetic::larger(a.max_rel, b.max_rel);
  if (b.max_ulp > a.max_ulp) a.max_ulp = b.max_ulp;
  detail::merge_count(a.nan, a.first_nan, b.nan, b.first_nan);
  detail::merge_count(a.inf, a.first_inf, b.inf, b.first_inf);
  detail::merge_count(a.wrong_nonfinite, a.first_wrong_nonfinite, b.wrong_nonfinite,
                      b.first_wrong_nonfinite);
  detail::merge_count(a.masked, a.first_masked, b.masked, b.first_masked);
  detail::merge_count(a.overflowed, a.first_overflowed, b.overflowed, b.first_overflowed);
  detail::merge_count(a.flushed, a.first_flushed, b.flushed, b.first_flushed);
  a.unprobed += b.unprobed;
  const bool worse = b.r > a.r || (b.r == a.r && b.worst < a.worst);
  if (other.any_ratio && (!any_ratio || worse)) {
    any_ratio = true;
    a.r = b.r;
    a.rho = b.rho;
    a.worst = b.worst;
  }
  error.merge(other.error);
  expected.merge(other.expected);
  bound.merge(other.bound);
}

inline Distances Cell::distances(std::size_t n) const {
  const Figures& f = figures;
  return {.count = n,
          .exact = f.exact,
          .max_abs = f.max_abs,
          .max_rel = f.max_rel,
          .max_ulp = f.max_ulp,
          .sum_sq_error = error.value(),
          .sum_sq_expected = expected.value(),
          .sum_sq_bound = bound.value(),
          .nan = f.nan,
          .inf = f.inf,
          .first_nan = f.first_nan,
          .first_inf = f.first_inf,
          .wrong_nonfinite = f.wrong_nonfinite,
          .first_wrong_nonfinite = f.first_wrong_nonfinite,
          .masked = f.masked,
          .first_masked = f.first_masked,
          .overflowed = f.overflowed,
          .first_overflowed = f.first_overflowed,
          .r = f.r,
          .rho = f.rho,
          .worst = f.worst,
          .flushed = f.flushed,
          .first_flushed = f.first_flushed,
          .unprobed = f.unprobed};
}

}  // namespace plumb::grid
