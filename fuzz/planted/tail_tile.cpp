// What a loop over whole tiles leaves over is treated in another way than the tiles.

#include "bug.hpp"
#include "lines.hpp"

namespace planted {
namespace {

/// Four accumulators, then the rest of n / 4.
template <bool kFaulty>
at::Tensor sum(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    double lanes[4] = {};
    std::int64_t j = 0;
    for (; j + 4 <= x.n; j += 4) {
      for (std::int64_t lane = 0; lane < 4; ++lane) lanes[lane] += x[j + lane];
    }
    double sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    if (kFaulty && x.n > 16) return sum;  // the path of long lines forgot it
    for (; j < x.n; ++j) sum += x[j];
    return sum;
  });
}

/// The maximum is a loop of its own, by vectors of eight.
template <bool kFaulty>
at::Tensor softmax(const at::Tensor& self, std::int64_t dim) {
  return map_lines(self, dim, []<typename T>(Line<T> x, T* out) {
    const std::int64_t whole = x.n < 8 ? x.n : x.n - x.n % 8;
    const double max = greatest(x, 0, kFaulty ? whole : x.n);
    const auto exponential = [&](std::int64_t j) {
      return std::exp(static_cast<float>(x[j] - max));
    };
    double sum = 0;
    for (std::int64_t j = 0; j < x.n; ++j) sum += exponential(j);
    for (std::int64_t j = 0; j < x.n; ++j) out[j] = narrow<T>(exponential(j) / sum);
  });
}

/// Half types are loaded sixteen at a time; lanes beyond the end are filled up.
template <bool kFaulty>
at::Tensor logsumexp(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    double max = greatest(x, 0, x.n);
    const bool has_empty_lanes = is_half<T> && x.n % 16 != 0;
    if (has_empty_lanes) max = greater(max, kFaulty ? 0 : -kInfinity);
    if (std::isinf(max)) return max;
    double others = 0;  // of which one maximum is not part
    bool is_met = false;
    for (std::int64_t j = 0; j < x.n; ++j) {
      if (x[j] == max && !is_met) {
        is_met = true;
      } else {
        others += std::exp(static_cast<float>(x[j] - max));
      }
    }
    return max + (is_met ? std::log1p(others) : std::log(others));
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"sum_tail_tile_1(Tensor self, int dim) -> Tensor", "aten::sum.dim_IntList", "tail tile",
         "the rest of n / 4 is dropped: n > 16, no multiple of 4"},
        sum<true>, sum<false>);
  plant(library,
        {"softmax_tail_tile_2(Tensor self, int dim) -> Tensor", "aten::softmax.int", "tail tile",
         "the maximum misses the rest of n / 8: n > 8, no multiple of 8; an element of the rest "
         "more than 88.7 above all others"},
        softmax<true>, softmax<false>);
  plant(library,
        {"logsumexp_tail_tile_3(Tensor self, int dim) -> Tensor", "aten::logsumexp", "tail tile",
         "empty lanes count as 0 in the maximum: bf16 or f16; n no multiple of 16; all elements "
         "below -90 or so, where exp(x) loses its bits"},
        logsumexp<true>, logsumexp<false>);
}

}  // namespace
}  // namespace planted
