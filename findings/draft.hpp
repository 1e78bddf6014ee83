#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/format.hpp"
#include "harness/result.hpp"

namespace plumb {

/// A tensor in the JSON of a case.
struct TensorPlace {
  Json::json_pointer at;
  std::string name;      // what its generated values depend on
  std::string argument;  // what a person calls it
};

/// Every tensor of a plumb.case/1, those in lists, in steps and the cotangent too.
std::vector<TensorPlace> tensor_places(const Json& stored);

/// A tensor of a case taken apart, so that it can be made smaller.
struct TensorDraft {
  std::vector<std::int64_t> shape;
  std::vector<Json> values;  // row by row, a complex number as one; only where is_inline
  bool is_inline = false;    // `data`
  bool has_shape = false;    // false for external data, whose shape the file knows
  bool floating = true;      // real floating numbers, as far as its own dtype says
  Json rest;                 // its other keys: dtype, fill, params, strides, offset, view
};

TensorDraft draft_of(const Json& spec);
Json spec_of(const TensorDraft& draft);

/// Keeps these indices of a dimension. Strides stay as they are.
void keep_indices(TensorDraft& draft, std::size_t dim, const std::vector<std::size_t>& indices);

/// Drops a dimension of size 1.
void drop_dimension(TensorDraft& draft, std::size_t dim);

/// Elements of all tensors whose shape the case says.
std::int64_t element_count(const Json& stored);

/// Where the floating numbers of a tensor lie: its own dtype under the case's; empty for types
/// without a format here (fp8, complex, integers).
std::optional<Format> number_format(const Json& stored, const Json& spec);

}  // namespace plumb
