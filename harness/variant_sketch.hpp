#pragma once

#include <functional>
#include <string>

#include "harness/registry.hpp"

namespace plumb {

/// How a stand-alone program in Python does with torch alone what a variant does. Registered beside
/// the variant, under its name; what fails in a variant without one only plumb can show.
struct VariantSketch {
  std::string name;
  /// An expression for what runs in the place of the function `compute` of the tuple `tensors`.
  std::string compiled = {};
  int runs = 1;  // the last one counts
  /// Definitions of product(x, weight, bias) and convolution(x, weight, bias, stride, padding,
  /// dilation, groups), which return what the variant's kernel does for x [m,k] and the constant
  /// weight [n,k], or x [batch,channels,…]. Empty where it has none; texts, since how a kernel is
  /// to be called may depend on the machine.
  std::function<std::string()> product = {};
  std::function<std::string()> convolution = {};
  bool takes_bias = false;  // as QuantisedKernel has it
};

}  // namespace plumb
