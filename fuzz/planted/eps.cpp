// The small number under the root is forgotten on one path.

#include "bug.hpp"
#include "normalise.hpp"

namespace planted {
namespace {

using Factors = const std::optional<at::Tensor>&;

/// Lines of whole vectors of eight have a loop of their own.
template <bool kFaulty>
at::Tensor layer_norm(const at::Tensor& input, at::IntArrayRef normalized_shape, Factors weight,
                      Factors bias, double eps) {
  const Affine affine(weight, bias);
  const std::int64_t length = group_length(input, normalized_shape);
  return map_groups(input, length, [&]<typename T>(Line<T> x, std::int64_t, T* out) {
    const Moments found = moments(x);
    const bool drops = kFaulty && x.n % 8 == 0;
    const double scale = 1 / std::sqrt(found.variance + (drops ? 0 : eps));
    for (std::int64_t j = 0; j < x.n; ++j) {
      out[j] = narrow<T>(affine((x[j] - found.mean) * scale, j));
    }
  });
}

/// Half types have a loop of their own.
template <bool kFaulty>
at::Tensor rms_norm(const at::Tensor& input, at::IntArrayRef normalized_shape, Factors weight,
                    double eps) {
  const Affine affine(weight, std::nullopt);
  const std::int64_t length = group_length(input, normalized_shape);
  return map_groups(input, length, [&]<typename T>(Line<T> x, std::int64_t, T* out) {
    double squares = 0;
    for (std::int64_t j = 0; j < x.n; ++j) squares += x[j] * x[j];
    const bool drops = kFaulty && is_half<T>;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.n) + (drops ? 0 : eps));
    for (std::int64_t j = 0; j < x.n; ++j) out[j] = narrow<T>(affine(x[j] * scale, j));
  });
}

/// Half types in whole vectors of eight have a loop of their own.
template <bool kFaulty>
at::Tensor group_norm(const at::Tensor& input, std::int64_t num_groups, Factors weight,
                      Factors bias, double eps) {
  TORCH_CHECK(input.dim() >= 2 && num_groups > 0 && input.size(1) % num_groups == 0,
              "group_norm: expected a number of channels that ", num_groups, " divides");
  const Affine affine(weight, bias);
  const std::int64_t channels = input.size(1);
  const std::int64_t groups = std::max<std::int64_t>(1, input.size(0) * num_groups);
  const std::int64_t length = input.numel() / groups;
  const std::int64_t in_group = std::max<std::int64_t>(1, channels / num_groups);
  return map_groups(input, length, [&]<typename T>(Line<T> x, std::int64_t group, T* out) {
    const Moments found = moments(x);
    const bool drops = kFaulty && is_half<T> && x.n % 8 == 0;
    const double scale = 1 / std::sqrt(found.variance + (drops ? 0 : eps));
    for (std::int64_t j = 0; j < x.n; ++j) {
      const std::int64_t channel = group % num_groups * in_group + j / (x.n / in_group);
      out[j] = narrow<T>(affine((x[j] - found.mean) * scale, channel));
    }
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"layer_norm_eps_1(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? "
         "bias=None, float eps=1e-5) -> Tensor",
         "aten::layer_norm", "eps dropped",
         "n a multiple of 8; a standard deviation below 1 (f32), 0.04 (bf16), 0.1 (f16)"},
        layer_norm<true>, layer_norm<false>);
  plant(library,
        {"rms_norm_eps_2(Tensor input, int[] normalized_shape, Tensor? weight=None, float "
         "eps=1e-5) -> Tensor",
         "aten::rms_norm", "eps dropped",
         "bf16 or f16; a root mean square below 0.04 (bf16), 0.1 "
         "(f16)"},
        rms_norm<true>, rms_norm<false>);
  plant(library,
        {"group_norm_eps_3(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, "
         "float eps=1e-5) -> Tensor",
         "aten::group_norm", "eps dropped",
         "bf16 or f16; groups of a multiple of 8 elements; a standard deviation below 0.04 (bf16), "
         "0.1 (f16)"},
        group_norm<true>, group_norm<false>);
}

}  // namespace
}  // namespace planted
