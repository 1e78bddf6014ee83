#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/reference.hpp"
#include "harness/result.hpp"

namespace plumb {

/// Letters of shapes and the sizes they stand for.
using Sizes = std::map<char, std::int64_t>;

/// One argument: a tensor whose shape is in letters, or a value.
struct PlannedArgument {
  enum class Kind { floating, integers, mask, value };

  std::string name;
  Kind kind = Kind::value;
  std::vector<std::string> shapes = {};  // "b,n"; several for a list of tensors
  bool is_list = false;
  std::string high = "1";  // integers lie in [0, high), a letter or a number
  Json value = nullptr;    // strings of one letter inside lists stand for sizes
};

/// How the arguments of an operator are made; those left out take their defaults.
struct Plan {
  std::vector<PlannedArgument> arguments;

  /// Names of single floating tensors: what gradients are asked for.
  std::vector<std::string> floating() const;
};

/// Sizes for every letter that plans use, with `n` the one that cases vary.
Sizes sizes_with(std::int64_t n);

/// The `args` of a case: `fill` gives each floating tensor its keys besides `shape`.
Json arguments_of(const Plan& plan, const Sizes& sizes,
                  const std::function<Json(const std::string& name)>& fill);

/// What plans are made for. Names, shapes and values of its arguments are those of its reference,
/// where it has one, by another name.
struct Planned {
  c10::OperatorHandle op;
  const ReferenceProgram* reference = nullptr;
  std::string dtype = "float64";  // torch's name, tried where a custom operator has no float64
};

/// The plan by the table of shapes where it has a row for the operator; else the first guess from
/// the schema alone that runs, and that in two dimensions where it was one and two run as well.
/// Runs the operator, so call it in a worker. Empty, with the reason, where nothing runs.
std::vector<Plan> plans_for(const Planned& planned, std::string& why_not);

/// The row of the table of shapes for a name without overload; empty where it has none.
std::string_view row_of_shapes(std::string_view base);

}  // namespace plumb
