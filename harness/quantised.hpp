#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/variant.hpp"

namespace plumb {

/// What a quantised kernel made of x [m,k] and the constant weight [n,k].
struct QuantisedProduct {
  at::Tensor y;  // [m,n] of the type of x
  std::function<Rounding()> activation;
  std::function<Rounding()> weight;
  /// What stands for the weight's elements in the bound, where the kernel multiplies them in parts
  /// that cancel: [n,k] in double, the root of the sum of squares of the parts.
  std::function<at::Tensor()> weight_terms = {};
};

/// A kernel for y = x·weightᵀ (+ bias) with a weight that is known in advance.
struct QuantisedKernel {
  std::string name;
  std::string about;
  /// Why it cannot run here at all; empty where it can, no function where it always can.
  std::function<std::optional<std::string>()> unavailable = {};
  /// Why it cannot multiply these; empty where it can, no function where it takes all.
  std::function<std::optional<std::string>(const at::Tensor& x, const at::Tensor& weight)> refuses =
      {};
  /// `bias` [n] may be undefined, and is where `takes_bias` is false.
  std::function<QuantisedProduct(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& bias)>
      multiply;
  bool sequential = false;  // adds the products one by one
  bool takes_bias = false;  // else the program adds it, as it did
};

/// The variant that multiplies by this kernel wherever the program has a linear, mm, addmm or
/// matmul with a constant matrix. Constant is a matrix that the program is given and has not
/// computed, but for views, and which is not the other factor as well.
Variant quantised_variant(QuantisedKernel kernel);

}  // namespace plumb
