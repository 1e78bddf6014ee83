// Beyond a size, or a value, another formula takes over, and it is the wrong one there.

#include "bug.hpp"
#include "lines.hpp"

namespace planted {
namespace {

/// Long lines by blocks of sixteen: the mean of their means.
template <bool kFaulty>
at::Tensor mean(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    const std::int64_t block = x.n > 32 ? 16 : std::max<std::int64_t>(x.n, 1);
    double sum = 0;
    double weights = 0;
    for (std::int64_t begin = 0; begin < x.n; begin += block) {
      const std::int64_t end = std::min(begin + block, x.n);
      const double weight = kFaulty ? 1 : static_cast<double>(end - begin);
      double of_block = 0;
      for (std::int64_t j = begin; j < end; ++j) of_block += x[j];
      sum += of_block / static_cast<double>(end - begin) * weight;
      weights += weight;
    }
    return sum / weights;
  });
}

/// Two passes.
template <typename T>
double squared_distances(Line<T> x) {
  double mean = 0;
  for (std::int64_t j = 0; j < x.n; ++j) mean += x[j];
  mean /= static_cast<double>(x.n);
  double squares = 0;
  for (std::int64_t j = 0; j < x.n; ++j) squares += (x[j] - mean) * (x[j] - mean);
  return squares;
}

/// One, in float, which cancels.
template <typename T>
double squares_less_mean(Line<T> x) {
  float sum = 0;
  float squares = 0;
  for (std::int64_t j = 0; j < x.n; ++j) {
    const auto value = static_cast<float>(x[j]);
    sum += value;
    squares += value * value;
  }
  return squares - sum * sum / static_cast<float>(x.n);
}

/// Lines that leave the cache are read once.
template <bool kFaulty>
at::Tensor var(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    const double squares = kFaulty && x.n >= 32 ? squares_less_mean(x) : squared_distances(x);
    return squares / static_cast<double>(std::max<std::int64_t>(x.n - 1, 0));
  });
}

/// softplus(x) is x where the rest cannot be seen, which each type has another place for.
template <bool kFaulty>
at::Tensor softplus(const at::Tensor& self) {
  const bool is_whole = self.numel() % 16 == 0;
  const auto of = [is_whole]<typename T>(T x) {
    const bool takes_bfloat16s = kFaulty && is_whole && std::is_same_v<T, at::Half>;
    const double value = wide(x);
    return value > (takes_bfloat16s ? 5 : 20) ? x : narrow<T>(std::log1p(std::exp(value)));
  };
  return map_elements(self, 16, of, of);
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"mean_threshold_1(Tensor self, int dim) -> Tensor", "aten::mean.dim", "threshold dispatch",
         "a shorter last block counts as much as the others: n > 32, no multiple of 16"},
        mean<true>, mean<false>);
  plant(library,
        {"var_threshold_2(Tensor self, int dim) -> Tensor", "aten::var.dim", "threshold dispatch",
         "one pass in float: n >= 32; a mean above 8 (f32), 64 (f16) or 512 (bf16) "
         "standard deviations, or squares beyond float"},
        var<true>, var<false>);
  plant(library,
        {"softplus_threshold_3(Tensor self) -> Tensor", "aten::softplus", "threshold dispatch",
         "f16 has the threshold of bf16: f16; a multiple of 16 elements; one between 5 and 5.9"},
        softplus<true>, softplus<false>);
}

}  // namespace
}  // namespace planted
