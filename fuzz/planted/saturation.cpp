// Something on the way, or at the end, leaves the range of its type.

#include "bug.hpp"
#include "normalise.hpp"

namespace planted {
namespace {

/// x·e^x / (1 + e^x), in float.
double by_growing_exponential(double x) {
  const auto value = static_cast<float>(x);
  const float e = std::exp(value);
  return value * e / (1 + e);
}

double by_shrinking_exponential(double x) {
  return std::isinf(x) && x < 0 ? 0 : x / (1 + std::exp(-x));
}

template <bool kFaulty>
at::Tensor silu(const at::Tensor& self) {
  const auto of = []<typename T>(T x) {
    const double value = wide(x);
    const bool takes_other = kFaulty && value > 0;
    return narrow<T>(takes_other ? by_growing_exponential(value) : by_shrinking_exponential(value));
  };
  return map_elements(self, 1, of, of);
}

/// Long lines are squared in float.
template <bool kFaulty>
at::Tensor rms_norm(const at::Tensor& input, at::IntArrayRef normalized_shape,
                    const std::optional<at::Tensor>& weight, double eps) {
  const Affine affine(weight, std::nullopt);
  const std::int64_t length = group_length(input, normalized_shape);
  return map_groups(input, length, [&]<typename T>(Line<T> x, std::int64_t, T* out) {
    double squares = 0;
    for (std::int64_t j = 0; j < x.n; ++j) {
      const double square = x[j] * x[j];
      squares += kFaulty && x.n >= 16 ? static_cast<float>(square) : square;
    }
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.n) + eps);
    for (std::int64_t j = 0; j < x.n; ++j) out[j] = narrow<T>(affine(x[j] * scale, j));
  });
}

/// A conversion to f16 that saturates what is finite, as tensor cores' do.
template <bool kFaulty>
at::Tensor exp(const at::Tensor& self) {
  const auto scalar = []<typename T>(T x) { return narrow<T>(std::exp(wide(x))); };
  const auto vector = [scalar]<typename T>(T x) {
    const float value = std::exp(static_cast<float>(x));
    const bool saturates = kFaulty && std::is_same_v<T, at::Half> && !std::isinf(value);
    return saturates ? static_cast<T>(std::min(value, 65504.0F)) : scalar(x);
  };
  return map_elements(self, 16, vector, scalar);
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"silu_saturation_1(Tensor self) -> Tensor", "aten::silu", "saturation",
         "inf / inf: an element above 84, where x·exp(x) is beyond float"},
        silu<true>, silu<false>);
  plant(
      library,
      {"rms_norm_saturation_2(Tensor input, int[] normalized_shape, Tensor? weight=None, float "
       "eps=1e-5) -> Tensor",
       "aten::rms_norm", "saturation", "squares overflow float: n >= 16; an element above 1.8e19"},
      rms_norm<true>, rms_norm<false>);
  plant(library,
        {"exp_saturation_3(Tensor self) -> Tensor", "aten::exp", "saturation",
         "65504 where infinity is right: f16; 16 or more elements; one of the whole vectors "
         "between 11.1 and 88.7"},
        exp<true>, exp<false>);
}

}  // namespace
}  // namespace planted
