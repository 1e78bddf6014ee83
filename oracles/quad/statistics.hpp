#pragma once

#include <span>

#include "oracles/quad/number.hpp"

namespace plumb::quad {

/// A mean as the nearest double and the rest, so that the distance from it, (x - near) - rest, is
/// accurate however small it is beside the mean.
struct Mean {
  Quad near = 0;
  Quad rest = 0;

  Quad value() const { return near + rest; }
  Quad distance(double x) const { return (Quad(x) - near) - rest; }
};

Mean mean(std::span<const double> values);

/// The sum of squared distances from the mean.
Quad squared_distances(std::span<const double> values, const Mean& mean);

/// The greatest value, NaN if any is NaN, -inf of none.
Quad greatest(std::span<const double> values);

/// log Σ exp(x), as `peak` + `rest` with rest >= 0: x_i - peak - rest then cancels less than
/// x_i - log Σ exp(x). Rest is NaN where peak is +inf or NaN, or where all values are -inf.
struct LogSumExp {
  Quad peak;
  Quad rest;
};

LogSumExp log_sum_exp(std::span<const double> values);

/// The p-norm: (Σ|x|^p)^(1/p), the greatest or least |x| for p = ±inf, the count of non-zeros for
/// 0.
Quad vector_norm(std::span<const Quad> values, Quad p);
Quad vector_norm(std::span<const double> values, Quad p);

}  // namespace plumb::quad
