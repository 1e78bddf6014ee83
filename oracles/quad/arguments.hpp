#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>

#include "harness/program.hpp"
#include "oracles/quad/number.hpp"

namespace plumb::quad {

/// The arguments of one call by schema name, those that were not given at their default. A program
/// that is no registered operator has the arguments it was given and no others.
class Arguments {
 public:
  /// Keeps references to both.
  Arguments(const Program& program, const Inputs& inputs);

  /// Whether the program is named as a registered operator is, overload included.
  bool of_operator() const { return schema_ != nullptr; }

  /// An argument without default that was not given.
  std::optional<std::string> missing() const;

  /// Null where the operator has no argument of that name.
  const c10::IValue* find(const std::string& name) const;

  /// Whether the argument exists and is not None.
  bool has(const std::string& name) const;

  /// Its values: float64, contiguous, in memory of the CPU.
  at::Tensor doubles(const std::string& name) const;

  /// A float, int or bool; `absent` where there is none.
  Quad number(const std::string& name, Quad absent = 0) const;
  std::int64_t integer(const std::string& name, std::int64_t absent = 0) const;
  bool flag(const std::string& name, bool absent = false) const;
  std::string text(const std::string& name) const;  // "" where absent

  /// An int or a list of int; empty where absent.
  std::vector<std::int64_t> integers(const std::string& name) const;

  /// Names of the arguments that were given a value other than their default.
  std::vector<std::string> given() const;

  const Inputs& inputs() const { return inputs_; }

 private:
  const Inputs& inputs_;
  const c10::FunctionSchema* schema_ = nullptr;
};

}  // namespace plumb::quad
