#pragma once

#include "harness/variant.hpp"

namespace plumb {

/// A matrix as integers and scales.
struct IntegerWeight {
  at::Tensor values;       // int8, [n,k]
  at::Tensor scale;        // [n], or [n,k/group]; of the type it was made of
  std::int64_t group = 0;  // columns that share a scale; 0: all of a row

  /// The scale of every element, in double: [n,1] or [n,k].
  at::Tensor step() const;

  /// What the integers stand for, in double.
  at::Tensor dequantised() const;
};

/// Integers in [-limit, limit], the scale of a row its greatest magnitude over `limit`, 1 for a row
/// of zeros.
IntegerWeight symmetric_rows(const at::Tensor& weight, double limit);

/// The same for groups of `group` columns, which must divide their number.
IntegerWeight symmetric_groups(const at::Tensor& weight, std::int64_t group, double limit);

/// A weight and what the integers make of it.
std::function<Rounding()> roundings_of(const at::Tensor& weight, IntegerWeight integers);

}  // namespace plumb
