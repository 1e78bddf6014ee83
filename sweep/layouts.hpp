#pragma once

#include <string>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// A way to lay a tensor of a case out in storage.
struct Layout {
  std::string name;
  /// Adds `strides`, `offset` or `view` to a tensor that has at least one dimension. Null: as it
  /// is.
  void (*apply)(Json& tensor);
  bool shares_places = false;  // elements share memory
};

/// Contiguous first.
const std::vector<Layout>& layouts();

/// Whether the answer of an operator has a meaning for tensors laid out like that.
bool allows(const Layout& layout, const std::string& op, bool gradient);

}  // namespace plumb
