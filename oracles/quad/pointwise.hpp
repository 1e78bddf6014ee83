#pragma once

#include <utility>

#include "oracles/quad/reference.hpp"

namespace plumb::quad {

/// One operand in the common shape: its values, or one number for all elements.
struct Column {
  at::Tensor values;  // owns `data`
  const double* data = nullptr;
  Quad fixed = 0;

  Quad operator[](std::size_t i) const { return data != nullptr ? Quad(data[i]) : fixed; }
};

struct Columns {
  std::vector<std::int64_t> shape;
  std::size_t count = 1;
  std::vector<Column> operands;
};

/// The operands brought to their common shape; throws c10::Error where they have none.
Columns broadcast(const Arguments& arguments, const std::vector<Operand>& operands);

/// Elements of the common shape.
std::int64_t broadcast_count(const Arguments& arguments, const std::vector<Operand>& operands);

/// Which operand this overload lacks, if it has no value then.
std::optional<std::string> missing(const Arguments& arguments,
                                   const std::vector<Operand>& operands);

/// Mean (1), sum (2) or no (0) reduction of the values, as losses have it.
QuadTensor reduced(QuadTensor values, std::int64_t reduction);

template <typename F, std::size_t... I>
QuadTensor map(const Columns& columns, const F& f, std::index_sequence<I...>) {
  QuadTensor result{columns.shape, std::vector<Quad>(columns.count)};
  for (std::size_t i = 0; i < columns.count; ++i) {
    result.data[i] = f(columns.operands[I][i]...);
  }
  return result;
}

/// f of one value of each operand, element by element. `each`: nanoseconds an element takes.
template <std::size_t N, typename F>
QuadReference pointwise(std::string name, const Operand (&operands)[N], double each, F f) {
  const std::vector<Operand> list(operands, operands + N);
  return {
      .name = "aten::" + std::move(name),
      .operands = list,
      .options = {},
      .evaluate =
          [list, f](const Arguments& arguments) {
            return QuadTensors{map(broadcast(arguments, list), f, std::make_index_sequence<N>{})};
          },
      .nanoseconds =
          [list, each](const Arguments& arguments) {
            return each * static_cast<double>(broadcast_count(arguments, list));
          },
      .refuses = [list](const Arguments& arguments) { return missing(arguments, list); }};
}

/// A pointwise definition followed by the reduction that the argument `reduction` asks for.
template <std::size_t N, typename F>
QuadReference loss(std::string name, const Operand (&operands)[N], double each, F f) {
  QuadReference reference = pointwise(std::move(name), operands, each, f);
  reference.options = {"reduction"};
  reference.evaluate = [list = reference.operands, f](const Arguments& arguments) {
    return QuadTensors{reduced(map(broadcast(arguments, list), f, std::make_index_sequence<N>{}),
                               arguments.integer("reduction", 1))};
  };
  return reference;
}

}  // namespace plumb::quad
