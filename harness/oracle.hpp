#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/program.hpp"
#include "harness/registry.hpp"

namespace plumb {

/// The right value of one output. Floating outputs: `hi` is float64, and `hi + lo` is the value
/// where the oracle is wider than double. Complex: complex128. Others: their own integer type.
struct Truth {
  std::string name;
  at::Tensor hi;
  at::Tensor lo;  // undefined unless the oracle is wider than float64
};

using Truths = std::vector<Truth>;

/// What is right. An oracle answers on exactly the rounded inputs the variant gets.
struct Oracle {
  std::string name;
  std::string about;
  /// Why it cannot answer for this program and these inputs; empty when it can.
  std::function<std::optional<std::string>(const Program&, const Inputs&)> unavailable;
  std::function<Truths(const Program&, const Inputs&)> evaluate;
  /// Whether it can answer if it may take longer than a case should: to confirm an alarm of another
  /// oracle. No function where it answers all or nothing.
  std::function<bool(const Program&, const Inputs&)> may_confirm = {};
  /// Its own unit roundoff: 2^-24 for fp32, which then enters the bound (docs/verdict.md).
  double roundoff = 0;
  /// Whether it may judge float64 results.
  bool wider_than_double = false;
  /// Whether it runs the program itself, so that a probe may do so on inputs of its own.
  bool runs_program = false;
};

/// The program in `dtype` on the inputs widened to it, outputs converted to float64.
Truths evaluate_widened(const Program& program, const Inputs& inputs, c10::ScalarType dtype);

/// The same on inputs already in `dtype` that nobody else needs: the program may write to them.
Truths evaluate_owned(const Program& program, const Inputs& owned, c10::ScalarType dtype);

struct OracleChoice {
  const Oracle* oracle = nullptr;
  std::string why_not;  // set when no oracle can answer
};

/// `wanted` is "auto" or a registered name (UsageError otherwise). Auto: quad where it covers the
/// program, else fp64; a float64 result needs quad (docs/verdict.md).
OracleChoice choose_oracle(const std::string& wanted, const Program& program, const Inputs& inputs,
                           bool judges_float64);

}  // namespace plumb
