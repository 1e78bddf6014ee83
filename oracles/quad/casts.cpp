// Casts. The value is the input, which whoever compares rounds to the type of the output; 8-bit
// types are compared as floats and rounded here.

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/format.hpp"
#include "oracles/quad/pointwise.hpp"

namespace plumb::quad {
namespace {

/// An 8-bit type with one zero and one NaN, which is what everything beyond its range becomes
/// (Noune et al., 8-bit Numerical Formats for Deep Neural Networks, 2022).
struct Fnuz {
  int precision;       // significant bits, the hidden one included
  int least_exponent;  // of a normal number
  double largest;
};

constexpr Fnuz kE4m3 = {.precision = 4, .least_exponent = -7, .largest = 240};
constexpr Fnuz kE5m2 = {.precision = 3, .least_exponent = -15, .largest = 57344};

/// To nearest, ties to even. `x` is a double: what is cast is one.
Quad rounded_to(const Fnuz& type, Quad x) {
  const auto value = static_cast<double>(x);
  if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), type.least_exponent) - (type.precision - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  if (std::abs(rounded) > type.largest) return std::numeric_limits<double>::quiet_NaN();
  return rounded == 0 ? 0 : rounded;  // no -0
}

/// Beyond the range of e4m3fn this says NaN; a saturating cast is as good (OCP 8-bit Floating Point
/// Specification, 2023, table 3): torch 2.15 saturates, torch 2.11 does not.
Quad rounded_to(at::ScalarType target, Quad x) {
  switch (target) {
    case at::kFloat8_e4m3fnuz: return rounded_to(kE4m3, x);
    case at::kFloat8_e5m2fnuz: return rounded_to(kE5m2, x);
    case at::kFloat8_e4m3fn: return round_to(Format::e4m3fn, static_cast<double>(x));
    case at::kFloat8_e5m2: return round_to(Format::e5m2, static_cast<double>(x));
    default: return x;
  }
}

QuadReference cast(const char* name) {
  QuadReference reference = pointwise(name, {"self"}, 20, [](Quad x) { return x; });
  reference.options = {"dtype", "non_blocking", "copy"};
  reference.evaluate = [](const Arguments& arguments) {
    const Columns columns = broadcast(arguments, {Operand("self")});
    const auto target = arguments.has("dtype")
                            ? static_cast<at::ScalarType>(arguments.integer("dtype"))
                            : at::kDouble;
    QuadTensor result{columns.shape, std::vector<Quad>(columns.count)};
    for (std::size_t i = 0; i < columns.count; ++i) {
      result.data[i] = rounded_to(target, columns.operands[0][i]);
    }
    return QuadTensors{result};
  };
  return reference;
}

const QuadReferences registered{cast("_to_copy"), cast("to")};

}  // namespace
}  // namespace plumb::quad
