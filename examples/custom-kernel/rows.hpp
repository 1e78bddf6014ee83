// What the kernels share: loops over rows, and sums in one type wider than the elements.

#pragma once

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace example {

template <typename T>
struct WiderThan {
  using type = double;
};
template <>
struct WiderThan<double> {
  using type = long double;
};
template <typename T>
using Wider = typename WiderThan<T>::type;

/// Memory that a kernel may read as it stands: dense, and not negative in view alone. Below the
/// dispatcher torch sees to the latter; what an autograd function calls directly must itself. (A
/// sweep found that these kernels did not.)
inline at::Tensor plain(const at::Tensor& tensor) { return tensor.resolve_neg().contiguous(); }

/// Every row of `self` along `dim` becomes the number that `of_row(row, n)` returns.
template <typename OfRow>
at::Tensor reduce_rows(const at::Tensor& self, std::int64_t dim, OfRow of_row) {
  const at::Tensor x = plain(self.movedim(dim, -1));
  const std::int64_t n = x.size(-1);
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), x.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "reduce_rows", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      to[i] = static_cast<scalar_t>(of_row(from + i * n, n));
    }
  });
  return out;
}

/// Every row of `self` along `dim` becomes the row that `of_row(row, n, result)` writes.
template <typename OfRow>
at::Tensor map_rows(const at::Tensor& self, std::int64_t dim, OfRow of_row) {
  const at::Tensor x = plain(self.movedim(dim, -1));
  const std::int64_t n = x.size(-1);
  at::Tensor out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "map_rows", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    for (std::int64_t i = 0; i < x.numel(); i += n) of_row(from + i, n, to + i);
  });
  return out.movedim(-1, dim);
}

/// Every element x becomes `of_element(x)`; it is called with a number in the wider type.
template <typename OfElement>
at::Tensor map_elements(const at::Tensor& self, OfElement of_element) {
  const at::Tensor x = plain(self);
  at::Tensor out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "map_elements", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      to[i] = static_cast<scalar_t>(of_element(static_cast<Wider<scalar_t>>(from[i])));
    }
  });
  return out;
}

}  // namespace example
