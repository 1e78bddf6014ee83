#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <c10/core/ScalarType.h>

#include "harness/result.hpp"

namespace plumb {

/// Letters of shapes and the sizes they stand for.
using Sizes = std::map<char, std::int64_t>;

/// One argument: a tensor whose shape is in letters, or a value.
struct PlannedArgument {
  enum class Kind { floating, complex, integers, pivots, mask, value };

  std::string name;
  Kind kind = Kind::value;
  std::vector<std::string> shapes = {};  // "b,n"; several for a list of tensors
  bool is_list = false;
  std::string high = "1";   // integers lie in [0, high), pivots in [1, high]: a letter or a number
  bool finite = false;      // neither infinities nor NaN
  std::string domain = {};  // "0..1" or "definite": the numbers that have a meaning here
  Json value = nullptr;     // of a tensor: its integers, written out. Letters in lists are sizes
};

/// How the arguments of an operator are made; those left out take their defaults.
struct Plan {
  std::vector<PlannedArgument> arguments;

  /// Names of single floating or complex tensors: what gradients are asked for.
  std::vector<std::string> floating() const;

  bool has_complex() const;
};

/// A plan from a row of the table of shapes (shapes.cpp says how it is written).
Plan plan_from_row(std::string_view row);

/// The plan with the arguments of a row put in place of its own of the same name, or added.
Plan changed(Plan plan, std::string_view row);

/// Sizes for every letter that plans use, with `n` the one that cases vary.
Sizes sizes_with(std::int64_t n);

/// How many elements the tensors of a plan have together.
std::int64_t elements_of(const Plan& plan, const Sizes& sizes);

/// What all arguments of a case share.
struct Filling {
  Sizes sizes;
  c10::ScalarType dtype;  // of floating tensors, and of arguments that ask for "$dtype"
  /// The keys of a floating tensor besides `shape` and `dtype`.
  std::function<Json(const PlannedArgument& argument)> fill;
};

/// The `args` of a case.
Json arguments_of(const Plan& plan, const Filling& filling);

/// The rows of the table of shapes for a name, with or without overload. Those that begin with "*"
/// change the arguments of another plan.
std::vector<std::string_view> rows_of_shapes(std::string_view name);

}  // namespace plumb
