#include "harness/compare_screen.hpp"

#include <array>
#include <cstdint>
#include <type_traits>

#include "harness/half.hpp"

// Vectors never cross a call: every function below is inlined into one that returns scalars.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace plumb::screen {

namespace baseline {
inline constexpr const char* kName = "baseline";
inline constexpr std::size_t kWidth = 2;
#include "harness/compare_screen.inc"
}  // namespace baseline

// Clang has no such pragma; it serves here for the analyser, which needs no second copy. Contracted
// multiply-adds are off so that every machine gives the same bits.
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
namespace avx2 {
inline constexpr const char* kName = "avx2";
inline constexpr std::size_t kWidth = 4;
#include "harness/compare_screen.inc"
}  // namespace avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace avx512 {
inline constexpr const char* kName = "avx512";
inline constexpr std::size_t kWidth = 8;
#include "harness/compare_screen.inc"
}  // namespace avx512
#pragma GCC pop_options
#pragma GCC pop_options

std::span<const Kernels> available() {
  static constexpr std::array kAll{baseline::kKernels, avx2::kKernels, avx512::kKernels};
  static const std::size_t count = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4") != 0) return 3;
    return __builtin_cpu_supports("x86-64-v3") != 0 ? 2 : 1;
  }();
  return std::span(kAll).first(count);
}
#else
std::span<const Kernels> available() {
  static constexpr std::array kAll{baseline::kKernels};
  return kAll;
}
#endif

}  // namespace plumb::screen
