#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/compare.hpp"

/// The vectorised half of `compare`: it takes the sums and maxima of a block whose elements are all
/// unremarkable, and says when that is not so. What is remarkable is settled by `Tally`.
namespace plumb::screen {

/// Elements per block: y, g and S of a block stay in the first-level cache.
inline constexpr std::size_t kBlock = 1024;

/// Elements per step. Sums run in this many lanes on every machine, so that all give the same bits.
inline constexpr std::size_t kGroup = 8;

/// A block of the data, widened. Formats up to 32 bits come as `y32`, f64 as `y64`.
struct Block {
  const float* y32 = nullptr;
  const double* y64 = nullptr;
  const double* hi = nullptr;
  const double* lo = nullptr;            ///< null: zeros
  const double* sensitivity = nullptr;   ///< null: zeros
  std::size_t first = 0;                 ///< index of its first element in the whole array
  const std::size_t* indices = nullptr;  ///< of all elements, where they do not follow the first
  std::size_t size = 0;

  std::size_t index(std::size_t i) const { return indices != nullptr ? indices[i] : first + i; }

  double y(std::size_t i) const { return y64 != nullptr ? y64[i] : static_cast<double>(y32[i]); }
  double low(std::size_t i) const { return lo != nullptr ? lo[i] : 0; }
  double spread(std::size_t i) const { return sensitivity != nullptr ? sensitivity[i] : 0; }
};

/// What the elements are held against: the bound and the maxima so far.
struct Limits {
  BoundTerms bound;
  double ratio = 0;  ///< |y−g|/B at or above this is remarkable
  double rel = 0;    ///< |y−g|/|g| likewise

  double min_normal = 0;

  // Rounding to a format of fewer bits than a float.
  double shifter = 0;             ///< 1.5·2^(53-precision): see round_to
  float min_normal32 = 0;         ///< min_normal again
  std::int32_t discard = 0;       ///< significand bits that a float has and the format has not
  std::int32_t subnormals = 0;    ///< ordinal of the least normal value
  std::int32_t first_normal = 0;  ///< its float pattern, shifted right by `discard`
};

/// What a screen found in a block. A NaN or an infinity of y, g or B makes a sum non-finite.
struct Found {
  double sum_sq_error = 0;
  double sum_sq_expected = 0;
  double sum_sq_bound = 0;
  double max_abs = 0;
  double reach = 0;           ///< max |g| + B
  double ratio_margin = 0;    ///< max |y−g| − ratio·B; ≥ 0 may raise r or be flushed
  double rel_margin = 0;      ///< max |y−g| − rel·|g|; ≥ 0 may raise max_rel
  std::uint64_t max_ulp = 0;  ///< of pairs that are finite
};

/// What `Screens::peaks` found in a block whose screen says that it may raise a maximum.
struct Peaks {
  double ratio = 0;         ///< max |y−g|/B
  double rel = 0;           ///< max |y−g|/|g|
  std::size_t flushed = 0;  ///< y = 0 where |y−g| > B and |g| ≥ min_normal
};

/// Rounding of g that the ulp distance needs; an index into Kernels::screens.
enum Rounding { narrow, single, twice };

/// By whether `lo` is given, and whether `sensitivity` is. Sizes of blocks are multiples of kGroup.
struct Screens {
  Found (*screen[2][2])(const Block&, const Limits&);
  Peaks (*peaks[2][2])(const Block&, const Limits&);
};

/// The code for one instruction set.
struct Kernels {
  const char* name;
  Screens screens[3];  ///< by Rounding
  void (*widen_f16)(const std::uint16_t*, float*, std::size_t);
  void (*widen_bf16)(const std::uint16_t*, float*, std::size_t);
  void (*widen_f32)(const float*, double*, std::size_t);
};

/// Every set of kernels this machine can run, the fastest last.
std::span<const Kernels> available();

/// `compare` with a given set of kernels, for the tests.
Distances compare_with(const Kernels& kernels, Format format, const void* y, Expected expected,
                       const double* sensitivity, BoundTerms bound, std::size_t n);

}  // namespace plumb::screen
