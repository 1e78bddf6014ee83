#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/variant.hpp"

namespace plumb {

/// What a quantised kernel made of x [m,k] and the constant weight [n,k], or convolved.
struct QuantisedProduct {
  at::Tensor y;  // [m,n], or as a convolution has it; of the type of x
  std::function<Rounding()> activation;
  std::function<Rounding()> weight;
  /// What stands for the weight's elements in the bound, where the kernel multiplies them in parts
  /// that cancel: [n,k] in double, the root of the sum of squares of the parts.
  std::function<at::Tensor()> weight_terms = {};
};

/// How a convolution goes over its input; a number for each dimension.
struct Geometry {
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> dilation;
  std::int64_t groups = 1;
};

/// A kernel for y = x·weightᵀ (+ bias) with a weight that is known in advance.
struct QuantisedKernel {
  std::string name;
  std::string about;
  /// Why it cannot run on this CPU at all; empty where it can, no function where it always can.
  std::function<std::optional<std::string>()> unavailable = {};
  bool runs_on_cuda = false;  // on some devices, of some types: found out by trying
  /// Why it cannot multiply these; empty where it can, no function where it takes all.
  std::function<std::optional<std::string>(const at::Tensor& x, const at::Tensor& weight)> refuses =
      {};
  /// `bias` [n] may be undefined, and is where `takes_bias` is false.
  std::function<QuantisedProduct(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& bias)>
      multiply;
  bool sequential = false;          // adds the products one by one
  bool sequential_on_cuda = false;  // there, at least
  bool takes_bias = false;          // else the program adds it, as it did
  /// The same for convolutions of x [batch,channels,…] with the weight [out,channels/groups,…], in
  /// one to three dimensions. No function where it takes products alone.
  std::function<QuantisedProduct(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& bias, const Geometry& geometry)>
      convolve = {};
};

/// The variant that runs this kernel wherever the program has a linear, mm, addmm, matmul or
/// convolution with a constant weight. Constant is a tensor that the program is given and has not
/// computed, but for views, and which is not the other factor as well.
Variant quantised_variant(const QuantisedKernel& kernel);

}  // namespace plumb
