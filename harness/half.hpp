#pragma once

#include <bit>
#include <cstdint>

#include "harness/host_device.hpp"

namespace plumb {

/// The value of a float16 pattern, exactly; branch-free, so that loops over it vectorise. Does not
/// depend on whether subnormal floats are flushed.
[[gnu::always_inline]] PLUMB_HOST_DEVICE inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t rest = (half & 0x7fffU) << 13U;
  const std::uint32_t exponent = rest & 0x0f800000U;
  // Subnormals: 2^-14 is added as a pattern and subtracted as a value, which normalises them.
  const float lifted = std::bit_cast<float>(rest + 0x38800000U) - 0x1p-14F;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(lifted);
  const std::uint32_t finite = exponent == 0 ? small : rest + 0x38000000U;
  const std::uint32_t value = exponent == 0x0f800000U ? rest | 0x7f800000U : finite;
  return std::bit_cast<float>(value | sign);
}

/// The value of a bfloat16 pattern, exactly.
[[gnu::always_inline]] PLUMB_HOST_DEVICE inline float float_of_bfloat16(std::uint16_t pattern) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(pattern) << 16U);
}

}  // namespace plumb
