#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/variants/inductor/calls.hpp"

namespace plumb::inductor {

/// A program as it is handed to the compiler.
struct Recorded {
  TracedGraph graph;
  Calls calls;
};

/// Runs the program once. CannotRun for what cannot be written as a list of calls.
Recorded recorded(const Program& program, const Inputs& inputs);

/// Tensors that compiled code can take: it reads memory by the strides it was compiled for, so no
/// bits that ask for more.
std::vector<at::Tensor> plain(std::vector<at::Tensor> tensors);

using Run = std::function<std::vector<at::Tensor>(const Inputs&)>;

/// A package of one program, loaded.
Run loaded(const std::string& package);

}  // namespace plumb::inductor
