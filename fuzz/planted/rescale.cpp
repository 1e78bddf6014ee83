// Online softmax: what was summed under an old maximum must be rescaled to the new one.

#include "bug.hpp"
#include "lines.hpp"

namespace planted {
namespace {

/// Maximum, and the sum of exp(x - maximum), of what was seen until now.
struct Running {
  double max = -kInfinity;
  double sum = 0;

  template <typename T>
  void add(Line<T> x, std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) sum += std::exp(x[j] - max);
  }
};

template <typename T>
void write_softmax(Line<T> x, Running all, T* out) {
  for (std::int64_t j = 0; j < x.n; ++j) out[j] = narrow<T>(std::exp(x[j] - all.max) / all.sum);
}

/// Calls `with_tile(begin, end, maximum until its end)` for each `width` elements.
template <typename T, typename WithTile>
void by_tiles(Line<T> x, std::int64_t width, WithTile with_tile) {
  double max = -kInfinity;
  for (std::int64_t begin = 0; begin < x.n; begin += width) {
    const std::int64_t end = std::min(begin + width, x.n);
    max = greater(max, greatest(x, begin, end));
    with_tile(begin, end, max);
  }
}

template <bool kFaulty>
at::Tensor softmax(const at::Tensor& self, std::int64_t dim) {
  return map_lines(self, dim, []<typename T>(Line<T> x, T* out) {
    Running all;
    by_tiles(x, 32, [&](std::int64_t begin, std::int64_t end, double max) {
      if (!kFaulty && all.sum != 0) all.sum *= std::exp(all.max - max);
      all.max = max;
      if (max != -kInfinity) all.add(x, begin, end);
    });
    write_softmax(x, all, out);
  });
}

/// Rescaling is left out where the maximum hardly grew, which spares a multiplication. The maximum
/// itself is kept out of the sum: max + log(1 + others) is accurate where others are small.
template <bool kFaulty>
at::Tensor logsumexp(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    double others = 0;
    double before = -kInfinity;
    by_tiles(x, 8, [&](std::int64_t begin, std::int64_t end, double max) {
      if (max == -kInfinity) return;
      bool is_met = max == before;  // the element that is kept out
      if (!is_met && before != -kInfinity) others += 1;
      const double least_growth = kFaulty ? 0.0625 : 0;
      if (max - before > least_growth) others *= std::exp(before - max);
      before = max;
      for (std::int64_t j = begin; j < end; ++j) {
        if (x[j] == max && !is_met) {
          is_met = true;
        } else {
          others += std::exp(x[j] - max);
        }
      }
    });
    return std::isinf(before) ? before : before + std::log1p(others);
  });
}

/// Lines along memory take two passes; others one, four elements at a time.
template <bool kFaulty>
at::Tensor softmax_of_columns(const at::Tensor& self, std::int64_t dim) {
  return map_lines(self, dim, []<typename T>(Line<T> x, T* out) {
    Running all;
    by_tiles(x, x.step == 1 ? x.n : 4, [&](std::int64_t begin, std::int64_t end, double max) {
      const bool has_begun = kFaulty ? begin > 0 : all.max != -kInfinity;
      if (has_begun) all.sum *= std::exp(all.max - max);  // NaN for -inf - -inf
      all.max = max;
      if (kFaulty || max != -kInfinity) all.add(x, begin, end);
    });
    write_softmax(x, all, out);
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"softmax_rescale_1(Tensor self, int dim) -> Tensor", "aten::softmax.int",
         "missing max rescale",
         "the sum is not rescaled: n > 32, the maximum not among the first 32"},
        softmax<true>, softmax<false>);
  plant(library,
        {"logsumexp_rescale_2(Tensor self, int dim) -> Tensor", "aten::logsumexp",
         "missing max rescale",
         "not rescaled where the maximum grows by 1/16 or less: n > 8; a "
         "later tile of 8 beats the earlier ones by no more than that"},
        logsumexp<true>, logsumexp<false>);
  plant(library,
        {"softmax_rescale_3(Tensor self, int dim) -> Tensor", "aten::softmax.int",
         "missing max rescale",
         "a first tile of -inf alone gives NaN: elements that do not lie "
         "side by side; n > 4; the first four -inf, a later one not"},
        softmax_of_columns<true>, softmax_of_columns<false>);
}

}  // namespace
}  // namespace planted
