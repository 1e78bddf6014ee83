#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/inputs.hpp"
#include "harness/traits.hpp"

namespace c10 {
class OperatorHandle;
}
namespace torch::jit {
struct Graph;
}

namespace plumb {

/// Type that floating ScalarType arguments inside a program become when the oracle runs it;
/// empty = run as declared.
using Widening = std::optional<c10::ScalarType>;

/// What is computed: an operator call, a list of calls, or a C++ function generic in dtype.
struct Program {
  /// "aten::softmax.int", "steps: aten::exp", "swiglu". The name of a registered operator says that
  /// the program computes that operator of inputs named as its arguments: quad may then judge it.
  std::string name;
  std::function<Outputs(const Inputs&, Widening)> forward;
  Traits traits;
  std::vector<std::string> grad;        // inputs whose gradients are outputs too
  std::optional<at::Tensor> cotangent;  // for output 0; ones when absent
  std::function<at::Tensor(const at::Tensor& cotangent)> move_cotangent = {};  // of a probe
  /// S of every output for inputs in double, where it is known in closed form: the root mean square
  /// that probes estimate, for a fraction of their work. Empty: probes measure it.
  std::function<std::vector<at::Tensor>(const Inputs&)> sensitivity = {};
  /// The same as TorchScript with its branches, of the tensors in order; null where there is none.
  std::shared_ptr<torch::jit::Graph> script = nullptr;
  /// The AOTInductor package that the program is; "" where `forward` can run it.
  std::string package = {};
};

/// Runs the program and, where `grad` asks for it, the backward pass. Gradients follow the forward
/// outputs as "grad:NAME". Errors of torch come out as c10::Error.
Outputs execute(const Program& program, const Inputs& inputs, Widening widening = std::nullopt);

/// The operator itself as a program: arguments by schema name, absent ones take their default.
/// Outputs: returns, then written arguments that are not among them.
Program operator_program(const c10::OperatorHandle& op);

/// A C++ function of the inputs as a program of one output.
Program native_program(std::string name, std::function<at::Tensor(const Inputs&)> function,
                       Traits traits = {.promise = Promise::composite,
                                        .why = "a program of several operators"});

}  // namespace plumb
