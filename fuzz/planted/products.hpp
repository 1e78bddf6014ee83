// What the matrix kernels share.

#pragma once

#include "lines.hpp"

namespace planted {

/// A matrix as it lies in memory.
template <typename T>
struct Matrix {
  const T* data;
  std::int64_t row_step;
  std::int64_t column_step;

  explicit Matrix(const at::Tensor& x)
      : data(x.const_data_ptr<T>()), row_step(x.stride(0)), column_step(x.stride(1)) {}

  double operator()(std::int64_t i, std::int64_t j) const {
    return wide(data[i * row_step + j * column_step]);
  }
};

/// Element (i, j) of the product is `dot(a, b, i, j, k)`, with k the terms that it sums.
template <typename Dot>
at::Tensor product(const at::Tensor& self, const at::Tensor& mat2, Dot dot) {
  TORCH_CHECK(self.dim() == 2 && mat2.dim() == 2 && self.size(1) == mat2.size(0) &&
                  self.scalar_type() == mat2.scalar_type(),
              "mm: expected matrices (m, k) and (k, n) of one type");
  const std::int64_t n = mat2.size(1);
  at::Tensor out = at::empty({self.size(0), n}, self.options());
  for_type(self.scalar_type(), [&]<typename T>() {
    const Matrix<T> a(self), b(mat2);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      out.mutable_data_ptr<T>()[i] = narrow<T>(dot(a, b, i / n, i % n, self.size(1)));
    }
  });
  return out;
}

}  // namespace planted
