#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// Where the norm over all gradients is accumulated, and the gradients are multiplied.
enum class NormIn {
  gradient_dtype,  // torch's clip_grad_norm_: inf as soon as the norm leaves the gradients' range
  float64,
};

/// Norm of order 2 over all gradients, as one vector.
double grad_norm(const std::vector<at::Tensor>& gradients, NormIn accumulator);

/// Multiplies every gradient by min(1, max_norm / (norm + 1e-6)) in place and returns the norm.
/// A non-finite norm is not stopped here, as in torch: an inf norm zeroes every finite gradient,
/// a NaN makes all of them NaN. With `error_if_nonfinite` it raises instead.
double clip_grad_norm_(const std::vector<at::Tensor>& gradients, double max_norm,
                       NormIn accumulator, bool error_if_nonfinite = false);

}  // namespace plumb
