#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/program.hpp"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace plumb {

/// A program as a straight line of operator calls, recorded while it ran once. Branches it took and
/// numbers it read out of tensors are fixed to what they were then.
struct TracedGraph {
  std::shared_ptr<torch::jit::Graph> graph;  // inputs: the tensors, in order; one output, a tuple
  std::vector<std::string> outputs;          // names

  /// Names for what running the graph returned, as tensors or as the tuple of them.
  Outputs named(const std::vector<at::Tensor>& tensors) const;
  Outputs named(const c10::IValue& tuple) const;
};

/// Runs the forward part of the program on the inputs, which it may write to. CannotRun where
/// torch's tracer cannot record what the program takes or gives.
TracedGraph traced_graph(const Program& program, const Inputs& inputs);

/// A tensor of these numbers that a trace takes for a constant. at::tensor fills memory behind the
/// dispatcher's back: a trace would see the memory and not the numbers.
at::Tensor constant(at::IntArrayRef values);

/// All tensors, those in lists too, each once: the inputs of the graph.
std::vector<at::Tensor> tensors_of(const Inputs& inputs);

/// The same arguments around other tensors.
Inputs with_tensors(const Inputs& inputs, const std::vector<at::Tensor>& tensors);

}  // namespace plumb
