// What the kernels share: types, lines of a tensor along one dimension, loops over elements.
// Sums are kept in double for every type, as torch's accumulators on the CPU are for float.

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace planted {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
constexpr bool is_half = sizeof(T) == 2;

/// Calls `f` with the element type of a tensor as its template argument.
template <typename F>
void for_type(at::ScalarType type, F f) {
  switch (type) {
    case at::kFloat: f.template operator()<float>(); return;
    case at::kBFloat16: f.template operator()<at::BFloat16>(); return;
    case at::kHalf: f.template operator()<at::Half>(); return;
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "expected float32, bfloat16 or float16, not ", type);
  }
}

template <typename T>
double wide(T x) {
  return static_cast<double>(static_cast<float>(x));
}

template <typename T>
T narrow(double x) {
  return static_cast<T>(static_cast<float>(x));
}

/// As a kernel that works in place of the elements sees it: rounded to their type.
template <typename T>
double stored(double x) {
  return wide(narrow<T>(x));
}

/// n elements, `step` apart.
template <typename T>
struct Line {
  const T* data;
  std::int64_t n;
  std::int64_t step;

  double operator[](std::int64_t j) const { return wide(data[j * step]); }
};

/// The greatest of the elements begin … end − 1, NaN if one is; −inf of none.
template <typename Values>
double greatest(const Values& x, std::int64_t begin, std::int64_t end) {
  double most = -kInfinity;
  for (std::int64_t j = begin; j < end; ++j) {
    if (std::isnan(x[j]) || x[j] > most) most = x[j];
  }
  return most;
}

/// The greater of two, NaN if one is.
inline double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// Where line i begins in a tensor whose lines run along its last dimension.
inline std::int64_t beginning(const at::Tensor& x, std::int64_t i) {
  std::int64_t offset = 0;
  for (std::int64_t d = x.dim() - 2; d >= 0; --d) {
    offset += i % x.size(d) * x.stride(d);
    i /= x.size(d);
  }
  return offset;
}

/// `self` with `dim` last; a scalar tensor is a line of one.
inline at::Tensor with_last(const at::Tensor& self, std::int64_t dim) {
  return self.dim() == 0 ? self.view({1}) : self.movedim(dim, -1);
}

/// Every line of `self` along `dim`, as it lies in memory, becomes the number `of_line(line)`.
template <typename OfLine>
at::Tensor reduce_lines(const at::Tensor& self, std::int64_t dim, OfLine of_line) {
  const at::Tensor x = with_last(self, dim);
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), x.options());
  for_type(x.scalar_type(), [&]<typename T>() {
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      const Line<T> line{x.const_data_ptr<T>() + beginning(x, i), x.size(-1), x.stride(-1)};
      out.mutable_data_ptr<T>()[i] = narrow<T>(of_line(line));
    }
  });
  return out;
}

/// Every line of `self` along `dim` becomes the line that `of_line(line, result)` writes.
template <typename OfLine>
at::Tensor map_lines(const at::Tensor& self, std::int64_t dim, OfLine of_line) {
  const at::Tensor x = with_last(self, dim);
  const std::int64_t n = x.size(-1);
  at::Tensor out = at::empty(x.sizes(), x.options());
  for_type(x.scalar_type(), [&]<typename T>() {
    for (std::int64_t i = 0; i * n < out.numel(); ++i) {
      of_line(Line<T>{x.const_data_ptr<T>() + beginning(x, i), n, x.stride(-1)},
              out.mutable_data_ptr<T>() + i * n);
    }
  });
  return self.dim() == 0 ? out.view({}) : out.movedim(-1, dim);
}

/// Every element becomes `body(x)` in whole vectors of `width`, `tail(x)` in the rest.
template <typename Body, typename Tail>
at::Tensor map_elements(const at::Tensor& self, std::int64_t width, Body body, Tail tail) {
  const at::Tensor x = self.contiguous();
  at::Tensor out = at::empty_like(x);
  const std::int64_t whole = x.numel() - x.numel() % width;
  for_type(x.scalar_type(), [&]<typename T>() {
    const T* from = x.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    for (std::int64_t i = 0; i < whole; ++i) to[i] = body(from[i]);
    for (std::int64_t i = whole; i < x.numel(); ++i) to[i] = tail(from[i]);
  });
  return out;
}

}  // namespace planted
