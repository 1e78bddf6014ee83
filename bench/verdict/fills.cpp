#include "bench/verdict/fills.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/format.hpp"

namespace plumb::bench {

Ends ends_of(c10::ScalarType dtype, int degree, std::int64_t n) {
  const FormatTraits& format = traits(*format_of(dtype));
  const double terms = static_cast<double>(n);
  // A half type with a short range is summed in f32: only the final result may leave it.
  const bool short_range = dtype == at::kHalf;
  const double typical_sum = degree == 2 && !short_range ? terms : std::sqrt(terms);
  const double room = short_range ? 2 : 20;
  const double root = 1.0 / degree;
  return {.tiny = std::pow(2 * format.min_normal / std::sqrt(terms), root),
          .huge = std::pow(format.max_finite / (room * typical_sum), root)};
}

Reach reach_of(c10::ScalarType dtype) {
  if (dtype == at::kFloat) return {.offset = 1000, .outlier = 1000, .exponent = 10};
  if (dtype == at::kBFloat16) return {.offset = 30, .outlier = 100, .exponent = 8};
  return {.offset = 10, .outlier = 50, .exponent = 3};
}

double spread_of(c10::ScalarType dtype) { return 64 * unit_roundoff(dtype); }

at::Tensor normal(at::IntArrayRef sizes, const Draw& draw) {
  return at::randn(sizes, draw.generator, at::kDouble);
}

at::Tensor uniform(at::IntArrayRef sizes, double low, double high, const Draw& draw) {
  return at::rand(sizes, draw.generator, at::kDouble).mul_(high - low).add_(low);
}

at::Tensor plain_fill(at::IntArrayRef sizes, const Draw& draw, const Ends& ends,
                      const Reach& reach) {
  switch (draw.fill) {
    case Fill::positive: return uniform(sizes, 0, 1, draw);
    case Fill::wide:
      return normal(sizes, draw) * at::exp2(uniform(sizes, -reach.exponent, reach.exponent, draw));
    case Fill::offset: return normal(sizes, draw) + reach.offset;
    case Fill::tiny: return normal(sizes, draw) * ends.tiny;
    case Fill::near_overflow: {
      const double greatest = 0.95 * traits(*format_of(draw.dtype)).max_finite;
      return (normal(sizes, draw) * ends.huge).clamp(-greatest, greatest);
    }
    case Fill::outlier: {
      const at::Tensor chosen = uniform(sizes, 0, 1, draw).lt(1.0 / 64);
      const at::Tensor x = normal(sizes, draw);
      return at::where(chosen, x * reach.outlier, x);
    }
    default: return normal(sizes, draw);
  }
}

at::Tensor opposed(at::IntArrayRef sizes, std::int64_t dim, const Draw& draw) {
  const std::int64_t half = sizes[static_cast<std::size_t>(dim)] / 2;
  auto part = sizes.vec();
  part[static_cast<std::size_t>(dim)] = half;
  const at::Tensor x = normal(part, draw);
  const at::Tensor noise = normal(part, draw) * spread_of(draw.dtype);
  at::Tensor all = normal(sizes, draw) * 1e-3;
  all.narrow(dim, 0, half).copy_(x);
  all.narrow(dim, half, half).copy_(-x * (1 + noise));
  return all;
}

at::Tensor nearly_constant(at::IntArrayRef sizes, double level, const Draw& draw) {
  return level * (1 + normal(sizes, draw) * spread_of(draw.dtype));
}

}  // namespace plumb::bench
