#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "harness/inputs.hpp"

namespace plumb {

/// While it lives, each floating tensor that autograd saves in this thread for a backward pass is
/// replaced by `change` of it, except the inputs themselves and views of them. One at a time.
class SavedResults {
 public:
  using Change = std::function<at::Tensor(const at::Tensor&)>;

  SavedResults(const Inputs& inputs, Change change);
  ~SavedResults();
  SavedResults(const SavedResults&) = delete;
  SavedResults& operator=(const SavedResults&) = delete;
};

}  // namespace plumb
