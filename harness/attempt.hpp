#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/result.hpp"
#include "harness/variant.hpp"
#include "harness/verdict.hpp"

namespace plumb {

/// What came of executing a program in a variant once.
struct Attempt {
  std::optional<Execution> execution;  // empty: `failure` says what happened, `message` how
  Verdict failure = Verdict::skipped;
  std::string message = {};
  std::vector<std::string> path = {};  // the operators that ran
  bool drew = false;                   // random numbers
  double seconds = 0;                  // the device's own, where it has a clock
  std::vector<Table> tables = {};      // what it took of a device
};

/// Executes it on `device`. The inputs are nobody else's: it may write to them. What torch has no
/// kernel for is `unsupported`, unless an error is expected.
Attempt attempt(c10::Device device, const Variant& variant, const Program& program,
                const Inputs& owned, bool error_expected);

}  // namespace plumb
