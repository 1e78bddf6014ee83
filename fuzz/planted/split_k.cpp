// The terms of a sum are split between workers; the parts are put together wrongly.

#include "bug.hpp"
#include "lines.hpp"
#include "products.hpp"

namespace planted {
namespace {

/// Four parts from sixteen terms on.
template <bool kFaulty>
at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  return product(self, mat2, []<typename T>(Matrix<T> a, Matrix<T> b, auto i, auto j, auto k) {
    const std::int64_t parts = k >= 16 ? 4 : 1;
    const std::int64_t length = kFaulty ? k / parts : (k + parts - 1) / parts;
    double sum = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      double partial = 0;
      const std::int64_t end = std::min((part + 1) * length, k);
      for (std::int64_t l = part * length; l < end; ++l) partial += a(i, l) * b(l, j);
      sum += partial;
    }
    return sum;
  });
}

template <typename T>
double log_sum(Line<T> x, std::int64_t begin, std::int64_t end) {
  const double max = greatest(x, begin, end);
  if (std::isinf(max)) return max;
  double others = 0;  // of which one maximum is not part
  bool is_met = false;
  for (std::int64_t j = begin; j < end; ++j) {
    if (x[j] == max && !is_met) {
      is_met = true;
    } else {
      others += std::exp(x[j] - max);
    }
  }
  return max + std::log1p(others);
}

/// Two parts from 32 elements on, each with its own maximum.
template <bool kFaulty>
at::Tensor logsumexp(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    if (x.n < 32) return log_sum(x, 0, x.n);
    const double a = log_sum(x, 0, x.n / 2);
    const double b = log_sum(x, x.n / 2, x.n);
    if (kFaulty) {
      return static_cast<double>(
          std::log(std::exp(static_cast<float>(a)) + std::exp(static_cast<float>(b))));
    }
    const double max = greater(a, b);
    return std::isinf(max) ? max : max + std::log1p(std::exp(std::min(a, b) - max));
  });
}

/// What a worker leaves: its mean, and the squared distances from it.
struct Part {
  double n = 0;
  double mean = 0;
  double squares = 0;
};

/// Welford's method.
template <typename T>
Part part_of(Line<T> x, std::int64_t begin, std::int64_t end) {
  Part part;
  for (std::int64_t j = begin; j < end; ++j) {
    part.n += 1;
    const double step = x[j] - part.mean;
    part.mean += step / part.n;
    part.squares += step * (x[j] - part.mean);
  }
  return part;
}

/// Two parts from 32 elements on; their means wait in memory.
template <bool kFaulty>
at::Tensor var(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    const std::int64_t half = x.n >= 32 ? x.n / 2 : 0;
    Part a = part_of(x, 0, half);
    Part b = part_of(x, half, x.n);
    if (kFaulty && is_half<T> && half > 0) {
      a.mean = stored<T>(a.mean);
      b.mean = stored<T>(b.mean);
    }
    const double apart = half > 0 ? b.mean - a.mean : 0;
    const double n = static_cast<double>(x.n);
    const double squares = a.squares + b.squares + apart * apart * a.n * b.n / std::max(n, 1.0);
    return squares / std::max(n - 1, 0.0);
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"mm_split_k_1(Tensor self, Tensor mat2) -> Tensor", "aten::mm", "split-K",
         "the rest of k / 4 is dropped: k > 16, no multiple of 4"},
        mm<true>, mm<false>);
  plant(library,
        {"logsumexp_split_k_2(Tensor self, int dim) -> Tensor", "aten::logsumexp", "split-K",
         "parts are merged without a maximum: n >= 32; a result above 88.7, or "
         "below -90 or so"},
        logsumexp<true>, logsumexp<false>);
  plant(library,
        {"var_split_k_3(Tensor self, int dim) -> Tensor", "aten::var.dim", "split-K",
         "the means of the parts are rounded before they are subtracted: bf16 or f16; n >= 32; "
         "a mean above 8 standard deviations"},
        var<true>, var<false>);
}

}  // namespace
}  // namespace planted
