#include "harness/format.hpp"

#include <array>

#include "harness/format_arithmetic.hpp"

namespace plumb {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::array<FormatTraits, 6> kTraits{{
    {"float16", 2, 11, 0x1p-11, 65504, 0x1p-14, 0x1p-24, 65520, true},
    {"bfloat16", 2, 8, 0x1p-8, 0x1.fep127, 0x1p-126, 0x1p-133, 0x1.ffp127, true},
    {"float32", 4, 24, 0x1p-24, 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1.ffffffp127, true},
    {"float64", 8, 53, 0x1p-53, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, kInf, true},
    // 464 is the tie between 448 and the NaN pattern, and goes to the even 448.
    {"float8_e4m3fn", 1, 4, 0x1p-4, 448, 0x1p-6, 0x1p-9, 0x1.d000000000001p8, false},
    {"float8_e5m2", 1, 3, 0x1p-3, 57344, 0x1p-14, 0x1p-16, 61440, true},
}};

}  // namespace

const FormatTraits& traits(Format format) { return kTraits[static_cast<std::size_t>(format)]; }

double load(Format format, const void* data, std::size_t index) {
  return arithmetic::load(format, data, index);
}

double round_to(Format format, double hi, double lo) {
  return arithmetic::round_to(traits(format), hi, lo);
}

std::int64_t ordinal(Format format, double value) {
  return arithmetic::ordinal(traits(format), value);
}

}  // namespace plumb
