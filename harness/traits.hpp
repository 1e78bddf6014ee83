#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/inputs.hpp"

namespace plumb {

/// How many roundings of the accumulator lie between inputs and one output element.
enum class Reduction {
  longest,    // longest input dimension: the safe default
  pointwise,  // 1
  whole,      // the elements of the largest input that one output sums: those of its argument `dim`
              // or, without one, all (sum, mean, norm)
};

/// The precision a program promises in half types (docs/verdict.md).
enum class Promise {
  fused,      // accumulates in f32, rounds once
  composite,  // several steps, each may round to the output type
  exact,      // selects or rounds without error: y must be g rounded once
};

/// What the verdict rule must be told about a program; everything else is measured.
struct Traits {
  Promise promise = Promise::fused;
  Reduction reduction = Reduction::longest;
  std::string why = {};  // reason of a composite promise, shown in reports
  std::vector<std::string> data_scalars =
      {};                       // float scalars probed like data: start, end, alpha …
  std::string documented = {};  // where torch's notes accept the failure
  bool sequential = false;      // accumulates one by one: errors grow with n, not with its root
  /// Backward stable in norm, not element by element (factorisations, solvers, matrix functions):
  /// probes move every element by h times the largest of its tensor.
  bool normwise = false;
  std::string undecidable = {};  // why the same call in a wider type says nothing: no unique answer
  std::string type_epsilon = {};  // argument whose None is the epsilon of the type computed in
  bool casts = false;             // its ScalarType argument is the target of a cast
  bool random = false;            // documented as random
};

/// The row of the trait table for an operator name ("aten::softmax.int"), completed by the
/// dispatcher's own tags (pointwise, nondeterministic_seeded).
Traits traits_of(std::string_view operator_name);

/// How many operators of a path (Trace) compute something: wrappers of others, views, copies and
/// allocations do not. Each rounds its result to its type.
std::size_t rounding_steps(const std::vector<std::string>& path);

/// n of the bound: reduction length of a program on these inputs.
std::int64_t reduction_length(const Traits& traits, const Inputs& inputs);

}  // namespace plumb
