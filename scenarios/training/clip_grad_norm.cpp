#include "scenarios/training/clip_grad_norm.hpp"

#include <cmath>

#include <ATen/ATen.h>

namespace plumb {

double grad_norm(const std::vector<at::Tensor>& gradients, NormIn accumulator) {
  if (gradients.empty()) return 0;
  std::vector<at::Tensor> norms;
  for (const at::Tensor& gradient : gradients) {
    const auto dtype = accumulator == NormIn::float64 ? at::kDouble : gradient.scalar_type();
    norms.push_back(at::linalg_vector_norm(gradient, 2, {}, false, dtype));
  }
  return at::linalg_vector_norm(at::stack(norms), 2).item<double>();
}

double clip_grad_norm_(const std::vector<at::Tensor>& gradients, double max_norm,
                       NormIn accumulator, bool error_if_nonfinite) {
  const at::NoGradGuard no_grad;
  const double norm = grad_norm(gradients, accumulator);
  TORCH_CHECK(!error_if_nonfinite || std::isfinite(norm),
              "The total norm of order 2 for gradients from `parameters` is non-finite, so it "
              "cannot be clipped.");
  const double ratio = max_norm / (norm + 1e-6);
  const double coefficient = ratio > 1 ? 1 : ratio;  // keeps a NaN, which std::min would drop
  for (const at::Tensor& gradient : gradients) {
    if (accumulator == NormIn::gradient_dtype) {
      gradient.mul_(coefficient);  // rounds it to the dtype first: below 3e-8 it is 0 in fp16
    } else {
      gradient.copy_(gradient.to(at::kDouble).mul_(coefficient));
    }
  }
  return norm;
}

}  // namespace plumb
