#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/format.hpp"

namespace plumb {

/// Coefficients of the element-wise bound B = relative·|g| + conditional·S + absolute.
/// All are finite and ≥ 0.
struct BoundTerms {
  double relative = 0;     ///< coefficient of |g|
  double conditional = 0;  ///< coefficient of S, the measured sensitivity
  double absolute = 0;     ///< η: half the least subnormal of the output type
};

/// The oracle's values g: either `hi` (optionally g = hi + lo, a double-double) or `narrow`.
struct Expected {
  const double* hi = nullptr;
  const double* lo = nullptr;  ///< second part of a double-double; ignored where hi is not finite
  const float* narrow = nullptr;  ///< an f32 oracle, used when `hi` is null
};

/// All distances between an output y and its oracle g, from one pass over the data.
///
/// A pair is *comparable* when y and g are both finite; only those enter max_abs, max_rel, the sums
/// and r. Every figure is independent of the instruction set that computed it.
struct Distances {
  std::size_t count = 0;  ///< elements compared
  bool exact = true;  ///< every y equals g rounded once to nearest even; NaN ≡ NaN, −0 ≡ +0

  double max_abs = 0;        ///< max |y−g|
  double max_rel = 0;        ///< max |y−g|/|g|; 0/0 counts as 0, e/0 as inf
  std::int64_t max_ulp = 0;  ///< steps of the format between y and g rounded once; pairs with a NaN
                             ///< do not count, max finite to inf is 1, saturates at INT64_MAX

  // Squared sums in extended range: 16M times 1e300² is finite. NMSE = error / expected.
  long double sum_sq_error = 0;     ///< Σ (y−g)²
  long double sum_sq_expected = 0;  ///< Σ g²
  long double sum_sq_bound = 0;     ///< Σ B²

  std::size_t nan = 0;  ///< NaNs in y, whether right or wrong
  std::size_t inf = 0;  ///< infinities in y, whether right or wrong
  std::optional<std::size_t> first_nan{};
  std::optional<std::size_t> first_inf{};

  // Classes: y must be NaN where g is, ±inf where g rounded to the format is; where [|g|−B, |g|+B]
  // contains the overflow threshold, finite and infinite of g's sign both agree.
  std::size_t wrong_nonfinite = 0;  ///< NaN or inf where finite is required; NaN for inf, inf for
                                    ///< NaN, inf of the wrong sign
  std::optional<std::size_t> first_wrong_nonfinite{};
  std::size_t masked = 0;  ///< finite where NaN or inf is required
  std::optional<std::size_t> first_masked{};
  std::size_t overflowed = 0;  ///< inf (NaN in e4m3fn) of g's sign where g is finite but out of
                               ///< range, or within B of it: agrees, worth a report
  std::optional<std::size_t> first_overflowed{};

  double r = 0;           ///< max |y−g|/B; 0 where y = g, inf where y ≠ g and B = 0
  double rho = 0;         ///< B/|g| at `worst`; for g = 0: inf if y ≠ g, else 0
  std::size_t worst = 0;  ///< lowest index that attains r; 0 if nothing was comparable

  std::size_t flushed = 0;  ///< y = 0 beyond the bound although |g| is normal in the format
  std::optional<std::size_t> first_flushed{};
  std::size_t unprobed =
      0;  ///< S is NaN: only classes are compared, |y−g|/B counts as 0, B as if S = 0
};

/// Compares n contiguous elements of `y`, stored in `format`, with the oracle.
/// `sensitivity` is S_i ≥ 0, NaN where no probe survived, or null for S = 0.
/// The floating-point environment (rounding mode, flush to zero) of the caller does not matter.
Distances compare(Format format, const void* y, Expected expected, const double* sensitivity,
                  BoundTerms bound, std::size_t n);

/// Elements whose error |y−g|/B lies in [2^exponent, 2^(exponent+1)).
struct HistogramBin {
  int exponent = 0;
  std::size_t count = 0;
  bool operator==(const HistogramBin&) const = default;
};

/// Comparable and probed elements by |y−g|/B; the fields add up to the number of those.
struct ErrorHistogram {
  std::size_t zero = 0;            ///< y = g (or an error that B dwarfs beyond the range of double)
  std::size_t infinite = 0;        ///< y ≠ g where B = 0
  std::vector<HistogramBin> bins;  ///< ascending, non-empty bins only
};

/// A second pass over the same data as `compare`.
ErrorHistogram compare_histogram(Format format, const void* y, Expected expected,
                                 const double* sensitivity, BoundTerms bound, std::size_t n);

}  // namespace plumb
