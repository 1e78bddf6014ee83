#pragma once

#include <vector>

#include "harness/graph.hpp"
#include "harness/result.hpp"

namespace plumb::inductor {

/// A recorded graph as a list of operator calls, for compile.py (which shows the format).
struct Calls {
  Json text;
  std::vector<at::Tensor> constants;
};

/// `inputs`: those of the graph. CannotRun for a node that is no operator call.
Calls calls_of(const TracedGraph& traced, const std::vector<at::Tensor>& inputs);

}  // namespace plumb::inductor
