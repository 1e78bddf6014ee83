#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/registry.hpp"
#include "oracles/quad/arguments.hpp"

namespace plumb::quad {

/// Row-major values of a result.
struct QuadTensor {
  std::vector<std::int64_t> shape;
  std::vector<Quad> data;
};

using QuadTensors = std::vector<QuadTensor>;

/// An argument that is read as values: a tensor of any floating, integer or bool type, or a number.
struct Operand {
  Operand(const char* operand) : name(operand) {}
  Operand(const char* operand, double if_absent) : name(operand), absent(if_absent) {}

  std::string name;
  std::optional<double> absent;  // its value where the call has none
};

/// The definition of one operator, independent of ATen, as a function of exact inputs. Relative
/// error at most 2^-100 of the result; of the terms where an operator adds what cancels.
struct QuadReference {
  std::string name;  // "aten::exp", for every overload whose arguments it understands
  std::vector<Operand> operands;
  std::vector<std::string> options;  // the other arguments it understands
  std::function<QuadTensors(const Arguments&)> evaluate;
  std::function<double(const Arguments&)> nanoseconds;  // estimate, for the budget
  std::function<std::optional<std::string>(const Arguments&)> refuses = {};
  bool integers_become_floating = false;  // exp(3) is floating, 3 + 3 is not
};

/// Registers a table of references.
struct QuadReferences {
  QuadReferences(std::initializer_list<QuadReference> table, bool integers_become_floating = false);
};

/// The reference for "aten::name.overload"; null when there is none. Knows aliases ("arcsin").
const QuadReference* find_reference(std::string_view operator_name);

/// The aliases and what they stand for, without "aten::".
std::span<const std::pair<std::string_view, std::string_view>> aliases();

/// Elements of the largest operand tensor times `each` nanoseconds.
std::function<double(const Arguments&)> per_element(double each);

}  // namespace plumb::quad
