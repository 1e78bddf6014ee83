#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/result.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// One run of an arm of a scenario: what it is asked for, and where it leaves its evidence.
class Trial {
 public:
  Trial(Settings settings, c10::ScalarType dtype, std::map<std::string, double> params);

  c10::ScalarType dtype() const { return dtype_; }
  c10::Device device() const { return settings_.device; }
  std::uint64_t seed() const { return settings_.seed; }
  const Settings& settings() const { return settings_; }
  double param(const std::string& name) const { return params_.at(name); }

  /// A named property that needs no numbers. Broken ones make the verdict `invariant-broken`, with
  /// `evidence` ("27 of 27 gradients are exactly zero") as the message.
  void require(const std::string& invariant, bool holds, const std::string& evidence);

  /// Runs the program in the trial's variant and dtype, and judges it against the oracle. Inputs
  /// are rounded to the dtype first. Returns the outputs.
  Outputs judge(const Program& program, const Inputs& inputs);

  /// The program in the trial's variant, gradients too, to be run in a loop without being judged.
  /// The inputs are only looked at. CannotRun where the variant has no meaning for the program,
  /// which makes the row `skipped`.
  std::function<Outputs(const Inputs&)> prepare(const Program& program, const Inputs& example);

  /// Judges outputs that the arm computed itself against truths of its own.
  void judge_outputs(const Program& program, const Inputs& inputs, const Outputs& outputs,
                     const Outputs& truths);

  /// A verdict the arm reaches by itself (fallback, error …). The worst one wins.
  void conclude(Verdict verdict, const std::string& where, const std::string& message);

  /// Nothing can be said here, for this reason; whatever was concluded before is dropped.
  void skip(const std::string& why);

  /// Runs the function with the op trace on and returns the operators that ran.
  std::vector<std::string> traced(const std::function<void()>& function);

  /// Becomes part of the digest that a replay must reproduce.
  void output(const std::string& name, const at::Tensor& tensor);

  void series(std::string name, std::vector<double> x, std::vector<double> y);
  void table(std::string name, std::vector<std::string> columns,
             std::vector<std::vector<Cell>> rows);
  void tag(std::string tag);
  void note(const std::string& message);

  /// The row so far; `vacuous` if the arm neither judged nor required anything, `skipped` if it
  /// ran nothing in the variant it was asked for.
  Result finish();

 private:
  void adopt(const Result& judged);

  Settings settings_;
  c10::ScalarType dtype_;
  std::map<std::string, double> params_;
  Result result_;
  Outputs outputs_;
  bool decided_ = false;
  bool ran_variant_ = false;
};

}  // namespace plumb
