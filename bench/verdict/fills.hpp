#pragma once

#include <ATen/core/Tensor.h>

#include "bench/verdict/operation.hpp"

namespace plumb::bench {

/// Sizes of the values near the ends of a type's range: `tiny` makes results of about twice the
/// least normal number, `huge` keeps every intermediate in f32 finite while results come near the
/// greatest one (in f16 some pass it). `degree` is that of the result in the data (2 for a product
/// or a variance), `n` the number of terms added up.
struct Ends {
  double tiny;
  double huge;
};
Ends ends_of(c10::ScalarType dtype, int degree, std::int64_t n);

/// How far a common offset, an outlier or exponents may go, so that half types stay in range.
struct Reach {
  double offset;
  double outlier;
  double exponent;  // wide fill: magnitudes 2^-exponent … 2^exponent
};
Reach reach_of(c10::ScalarType dtype);

/// Relative spacing that survives rounding to the type: 32 units in the last place.
double spread_of(c10::ScalarType dtype);

at::Tensor normal(at::IntArrayRef sizes, const Draw& draw);
at::Tensor uniform(at::IntArrayRef sizes, double low, double high, const Draw& draw);

/// Everything but `cancelling`, which is different for every operation; float64.
at::Tensor plain_fill(at::IntArrayRef sizes, const Draw& draw, const Ends& ends,
                      const Reach& reach);

/// [x, −x(1 + small noise)] along `dim`, an odd element at the end 1e-3 of the others.
at::Tensor opposed(at::IntArrayRef sizes, std::int64_t dim, const Draw& draw);

/// A constant with a spread of a few units in the last place: all that varies is rounding-sized.
at::Tensor nearly_constant(at::IntArrayRef sizes, double level, const Draw& draw);

}  // namespace plumb::bench
