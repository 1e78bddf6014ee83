#pragma once

#include "harness/variant.hpp"

namespace plumb {

/// A weight as integers and scales.
struct IntegerWeight {
  at::Tensor values;       // int8, [n,k], or [n,…] for a convolution
  at::Tensor scale;        // [n], or [n,k/group]; of the type it was made of
  std::int64_t group = 0;  // columns that share a scale; 0: all of a row

  /// The scale of every element, in double: [n,1], [n,1,…] or [n,k].
  at::Tensor step() const;

  /// What the integers stand for, in double.
  at::Tensor dequantised() const;
};

/// Integers in [-limit, limit], the scale of a row its greatest magnitude over `limit`, 1 for a row
/// of zeros.
IntegerWeight symmetric_rows(const at::Tensor& weight, double limit);

/// The same for groups of `group` columns, which must divide their number.
IntegerWeight symmetric_groups(const at::Tensor& weight, std::int64_t group, double limit);

/// The same for a weight of any dimensions, a scale for everything that makes one output channel.
IntegerWeight symmetric_channels(const at::Tensor& weight, double limit);

/// Two numbers from 0 to 15 in each byte, that of the even column in the upper half: [n,k/2].
at::Tensor pairs_of_fours(const at::Tensor& values);

/// A weight of int4 where the kernel multiplies what the integers make of it rounded once more, to
/// the type of its scales.
Rounding rounded_again(const at::Tensor& weight, const IntegerWeight& integers);

/// symmetric_groups in Python, for stand-alone programs: "integers, scale = integers_of(weight,
/// group, limit)".
std::string integers_in_python();

/// A weight and what the integers make of it.
std::function<Rounding()> roundings_of(const at::Tensor& weight, IntegerWeight integers);

}  // namespace plumb
