// Equal numbers, or numbers half way between two, are not treated alike.

#include "bug.hpp"
#include "lines.hpp"

namespace planted {
namespace {

/// max + log(1 + sum of the others): accurate where one element outweighs all.
template <bool kFaulty>
at::Tensor logsumexp(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    const double max = greatest(x, 0, x.n);
    if (std::isinf(max)) return max;
    double others = 0;
    bool has_met_max = false;
    for (std::int64_t j = 0; j < x.n; ++j) {
      if (x[j] == max && (kFaulty || !has_met_max)) {
        has_met_max = true;
      } else {
        others += std::exp(x[j] - max);
      }
    }
    return max + std::log1p(others);
  });
}

/// Whole vectors of eight; they have no rounding to even.
template <bool kFaulty>
at::Tensor round(const at::Tensor& self) {
  const auto scalar = []<typename T>(T x) { return narrow<T>(std::nearbyint(wide(x))); };
  const auto vector = [scalar]<typename T>(T x) {
    return kFaulty ? narrow<T>(std::floor(static_cast<float>(x) + 0.5F)) : scalar(x);
  };
  return map_elements(self, 8, vector, scalar);
}

/// Lines along memory are one tile, others are tiles of eight.
template <bool kFaulty>
at::Tensor log_softmax(const at::Tensor& self, std::int64_t dim) {
  return map_lines(self, dim, []<typename T>(Line<T> x, T* out) {
    const double max = greatest(x, 0, x.n);
    const std::int64_t width = x.step == 1 ? x.n : 8;
    // The sum of exp(x - max) but for one maximum; there is no limit at infinity.
    double others = std::isinf(max) ? kNaN : 0;
    bool has_met_max = false;
    for (std::int64_t begin = 0; begin < x.n; begin += width) {
      if (kFaulty) has_met_max = false;
      for (std::int64_t j = begin; j < std::min(begin + width, x.n); ++j) {
        if (x[j] == max && !has_met_max) {
          has_met_max = true;
        } else {
          others += std::exp(x[j] - max);
        }
      }
    }
    for (std::int64_t j = 0; j < x.n; ++j) out[j] = narrow<T>(x[j] - max - std::log1p(others));
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"logsumexp_tie_1(Tensor self, int dim) -> Tensor", "aten::logsumexp", "tie bias",
         "of several equal maxima one counts: the maximum occurs twice"},
        logsumexp<true>, logsumexp<false>);
  plant(library,
        {"round_tie_2(Tensor self) -> Tensor", "aten::round", "tie bias",
         "half way goes up: 8 or more elements; one of the whole vectors is 2k + 0.5, or its sum "
         "with 0.5 is rounded"},
        round<true>, round<false>);
  plant(library,
        {"log_softmax_tie_3(Tensor self, int dim) -> Tensor", "aten::log_softmax.int", "tie bias",
         "equal maxima of several tiles of 8 count once: elements that do not lie side by side; "
         "n > 8; the maximum occurs in two tiles"},
        log_softmax<true>, log_softmax<false>);
}

}  // namespace
}  // namespace planted
