// What the normalising kernels share.

#pragma once

#include <c10/util/accumulate.h>

#include "lines.hpp"

namespace planted {

/// The factors that follow a normalisation; absent ones change nothing.
class Affine {
 public:
  Affine(const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias)
      : weight_(doubles(weight)), bias_(doubles(bias)) {}

  double operator()(double x, std::int64_t i) const {
    if (weight_.defined()) x *= weight_.const_data_ptr<double>()[i];
    if (bias_.defined()) x += bias_.const_data_ptr<double>()[i];
    return x;
  }

 private:
  static at::Tensor doubles(const std::optional<at::Tensor>& tensor) {
    return tensor && tensor->defined() ? tensor->to(at::kDouble).contiguous() : at::Tensor();
  }

  at::Tensor weight_;
  at::Tensor bias_;
};

struct Moments {
  double mean = 0;
  double variance = 0;  // over n
};

/// In two passes.
template <typename T>
Moments moments(Line<T> x) {
  Moments found;
  for (std::int64_t j = 0; j < x.n; ++j) found.mean += x[j];
  found.mean /= static_cast<double>(x.n);
  for (std::int64_t j = 0; j < x.n; ++j) {
    found.variance += (x[j] - found.mean) * (x[j] - found.mean);
  }
  found.variance /= static_cast<double>(x.n);
  return found;
}

/// Groups of `length` elements that lie side by side: `of_group(line, group, result)` writes each.
template <typename OfGroup>
at::Tensor map_groups(const at::Tensor& input, std::int64_t length, OfGroup of_group) {
  const at::Tensor x = input.contiguous();
  at::Tensor out = at::empty_like(x);
  for_type(x.scalar_type(), [&]<typename T>() {
    for (std::int64_t i = 0; i * length < x.numel(); ++i) {
      of_group(Line<T>{x.const_data_ptr<T>() + i * length, length, 1}, i,
               out.mutable_data_ptr<T>() + i * length);
    }
  });
  return out;
}

/// The elements that are normalised together.
inline std::int64_t group_length(const at::Tensor& input, at::IntArrayRef normalized_shape) {
  TORCH_CHECK(
      !normalized_shape.empty() && input.sizes().size() >= normalized_shape.size() &&
          input.sizes().slice(input.sizes().size() - normalized_shape.size()) == normalized_shape,
      "expected an input that ends in ", normalized_shape, ", not ", input.sizes());
  return c10::multiply_integers(normalized_shape);
}

}  // namespace planted
