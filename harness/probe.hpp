#pragma once

#include <cstddef>
#include <cstdint>

/// The inner loops of the conditioning probe, vectorised; no torch here.
namespace plumb {

/// moved[i] = x[i]·(1 + step·ξ), ξ uniform in [−1, 1) from `key` and i; ±0, ±inf and NaN stay.
void perturb(const double* x, double* moved, std::size_t n, double step, std::uint64_t key);

/// Values of a program: hi + lo, lo null where the oracle is no wider than double.
struct WideValues {
  const double* hi = nullptr;
  const double* lo = nullptr;
};

/// squares[i] += (moved[i] − reference[i])² where that difference is finite; returns whether it was
/// everywhere. The caller sees to it that squares neither overflow nor vanish (`squares_are_safe`).
bool add_squared_differences(WideValues moved, WideValues reference, double* squares,
                             std::size_t n);

/// Whether differences to these values, which are 0 or no smaller than their rounding error, have
/// squares that double can hold: no |g| below 2^-400 but 0, none above 2^400 but inf.
bool squares_are_safe(const double* reference, std::size_t n);

}  // namespace plumb
