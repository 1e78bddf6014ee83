#pragma once

#include <cstdint>

#include "oracles/quad/number.hpp"

namespace plumb::quad {

/// A product of many factors whose partial products may leave the range of a quad.
class Product {
 public:
  void multiply(Quad factor) {
    int exponent = 0;
    mantissa_ = frexpq(mantissa_ * factor, &exponent);
    if (is_finite(mantissa_)) exponent_ += exponent;
  }

  Quad value() const {
    const std::int64_t limit = 40000;  // beyond the range of quads either way
    const std::int64_t exponent = exponent_ > limit    ? limit
                                  : exponent_ < -limit ? -limit
                                                       : exponent_;
    return ldexpq(mantissa_, static_cast<int>(exponent));
  }

 private:
  Quad mantissa_ = 1;
  std::int64_t exponent_ = 0;
};

}  // namespace plumb::quad
