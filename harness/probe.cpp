#include "harness/probe.hpp"

#include <cmath>

// One clone per instruction set, chosen at load time: the loops are plain, the compiler vectorises.
// Contracted multiply-adds are off so that every machine gives the same bits.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#pragma GCC optimize("O3,fp-contract=off")
#define PLUMB_CLONES [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define PLUMB_CLONES
#endif

namespace plumb {
namespace {

/// 32 bits that look random from an index and a key (finaliser of Chris Wellons' lowbias32, the key
/// entering half-way, so that two keys do not give shifted copies of one sequence).
inline std::uint32_t scrambled(std::uint32_t index, std::uint32_t low, std::uint32_t high) {
  std::uint32_t z = index + low;
  z ^= z >> 16;
  z *= 0x7feb352dU;
  z ^= high;
  z ^= z >> 15;
  z *= 0x846ca68bU;
  z ^= z >> 16;
  return z;
}

}  // namespace

PLUMB_CLONES
void perturb(const double* x, double* moved, std::size_t n, double step, std::uint64_t key) {
  const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  const double unit = step * 0x1p-31;
  for (std::size_t i = 0; i < n; ++i) {
    const auto xi = static_cast<std::int32_t>(scrambled(static_cast<std::uint32_t>(i), low, high));
    moved[i] = x[i] * (1 + unit * xi);
  }
}

PLUMB_CLONES
bool add_squared_differences(WideValues moved, WideValues reference, double* squares,
                             std::size_t n) {
  const bool low = moved.lo != nullptr && reference.lo != nullptr;
  std::int64_t dropped = 0;
  const auto add = [&](std::size_t i, double d) {
    const bool finite = std::fabs(d) < INFINITY;
    dropped |= finite ? 0 : 1;
    squares[i] += finite ? d * d : 0;
  };
  if (low) {
    for (std::size_t i = 0; i < n; ++i) {
      add(i, (moved.hi[i] - reference.hi[i]) + (moved.lo[i] - reference.lo[i]));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) add(i, moved.hi[i] - reference.hi[i]);
  }
  return dropped == 0;
}

PLUMB_CLONES
bool squares_are_safe(const double* reference, std::size_t n) {
  std::int64_t unsafe = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fabs(reference[i]);
    const std::int64_t tiny = (size > 0 ? 1 : 0) & (size < 0x1p-400 ? 1 : 0);
    const std::int64_t huge = (size > 0x1p400 ? 1 : 0) & (size < INFINITY ? 1 : 0);
    unsafe |= tiny | huge;
  }
  return unsafe == 0;
}

}  // namespace plumb
