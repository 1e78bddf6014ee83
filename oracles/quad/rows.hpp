#pragma once

#include <span>

#include "oracles/quad/reference.hpp"

namespace plumb::quad {

/// A tensor with the dimensions that an operator reduces made last and contiguous.
struct Rows {
  at::Tensor values;                // float64, (count, length)
  std::vector<std::int64_t> shape;  // of the reduced result
  std::size_t count = 0;
  std::size_t length = 0;

  std::span<const double> operator[](std::size_t i) const {
    return {values.const_data_ptr<double>() + i * length, length};
  }
};

/// Rows of `values` over `dims`; all dimensions where there are none.
Rows rows(const at::Tensor& values, const std::vector<std::int64_t>& dims, bool keepdim);

/// Rows of an argument over its arguments `dim` and `keepdim`.
Rows rows(const Arguments& arguments, const std::string& name = "self");

/// f(row) for each row.
template <typename F>
QuadTensor reduce(const Rows& rows, const F& f) {
  QuadTensor result{rows.shape, std::vector<Quad>(rows.count)};
  for (std::size_t i = 0; i < rows.count; ++i) result.data[i] = f(rows[i]);
  return result;
}

/// An operator with the arguments self, dim, keepdim and dtype that makes one number of each row.
template <typename F>
QuadReference reduction(std::string name, double each, F f) {
  return {.name = "aten::" + std::move(name),
          .operands = {"self"},
          .options = {"dim", "keepdim", "dtype"},
          .evaluate = [f](const Arguments& a) { return QuadTensors{reduce(rows(a), f)}; },
          .nanoseconds = per_element(each)};
}

/// A line along a dimension: its number of elements and the distance between two of them.
struct Line {
  std::size_t length = 1;
  std::size_t inner = 1;
};

Line line_of(const std::vector<std::int64_t>& shape, std::int64_t dim);

/// f(line, result) for each line of `values` along `dim`; the result has the same shape.
template <typename F>
QuadTensor along(const at::Tensor& values, std::int64_t dim, const F& f) {
  QuadTensor result{values.sizes().vec(), std::vector<Quad>(std::size_t(values.numel()))};
  const auto [length, inner] = line_of(result.shape, dim);
  const double* data = values.const_data_ptr<double>();
  std::vector<double> line(length);
  std::vector<Quad> image(length);
  const std::size_t count = length == 0 ? 0 : result.data.size() / length;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t start = i / inner * inner * length + i % inner;
    for (std::size_t k = 0; k < length; ++k) line[k] = data[start + k * inner];
    f(std::span<const double>(line), std::span<Quad>(image));
    for (std::size_t k = 0; k < length; ++k) result.data[start + k * inner] = image[k];
  }
  return result;
}

/// An operator with the arguments self, dim and dtype that makes a line of each line.
template <typename F>
QuadReference lines(std::string name, double each, F f) {
  return {.name = "aten::" + std::move(name),
          .operands = {"self"},
          .options = {"dim", "dtype", "half_to_float"},
          .evaluate =
              [f](const Arguments& a) {
                return QuadTensors{along(a.doubles("self"), a.integer("dim"), f)};
              },
          .nanoseconds = per_element(each)};
}

}  // namespace plumb::quad
