#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/registry.hpp"
#include "harness/trial.hpp"

namespace plumb {

/// A number a person may change with --set NAME=VALUE.
struct Parameter {
  std::string name;
  double value = 0;
  std::string about;
  bool is_whole = false;  // a count, a size, a switch
};

/// One way of running a scenario, with the verdicts it must end in.
struct Arm {
  std::function<void(Trial&)> run;  // empty: the scenario has no such arm
  std::vector<Verdict> expect;      // `stable` admits `exact`
  std::vector<c10::ScalarType> dtypes = {at::kFloat};
};

/// A documented failure: its faulty arm must show it, its fixed arm must be clean, and its mutant
/// (a fixed arm with a planted fault) proves that the check of the fixed arm can fail.
struct Scenario {
  std::string name;
  std::string about;                 // what fails and by which mechanism, one sentence
  std::vector<std::string> sources;  // public reports: "pytorch/pytorch#46849"
  std::string op;                    // what is exercised: "training step", "aten::softmax.int"
  std::vector<Parameter> params;
  Arm faulty;
  Arm fixed;
  Arm mutant;
};

/// An arm that runs one C++ function, generic in dtype, on one set of inputs and judges its result.
std::function<void(Trial&)> judged(std::function<at::Tensor(const Inputs&)> function,
                                   std::function<Inputs(Trial&)> inputs);

/// What one invocation of an arm is asked for.
struct ArmRequest {
  std::string scenario;
  std::string arm;  // "faulty", "fixed" or "mutant"
  Settings settings;
  c10::ScalarType dtype = at::kFloat;
  std::vector<std::pair<std::string, double>> params;
  bool dtype_is_default = true;  // false: the person named it, so the replay line must
};

/// "lr=0.1"; UsageError for anything else.
std::pair<std::string, double> parameter_from(const std::string& text);

/// UsageError for a parameter that the scenario does not have.
void check_parameters(const Scenario& scenario,
                      const std::vector<std::pair<std::string, double>>& params);

/// Runs one arm in one dtype and returns its row. Its replay line names what only arms have; the
/// flags of every subcommand (seed, threads …) are added where the task is served.
Result run_arm(const ArmRequest& request);

/// The row of an arm whose worker gave no answer: everything but verdict and message.
Result unanswered_arm(const ArmRequest& request);

/// UsageError for an unknown arm.
const Arm& arm_of(const Scenario& scenario, const std::string& arm);

}  // namespace plumb
