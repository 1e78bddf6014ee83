#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "findings/trigger.hpp"

namespace plumb {

/// How a candidate is judged and its tensors are written down: in this process, or in workers.
struct Bench {
  /// The row of a case; empty where it is no case (shapes that do not fit).
  std::function<std::optional<Result>(const Json& stored)> judge;
  std::function<Json(const Json& stored)> inlined;
};

/// What a minimisation may cost.
struct Effort {
  int evaluations = 2000;     // of all that follows; up to a quarter is kept for the intervals
  int triggers = 3;           // numbers whose interval is looked for
  int trigger_attempts = 80;  // evaluations a side
};

struct Minimised {
  Json stored;
  Result found;  // the row of the original
  Result row;    // of the minimised case
  int evaluations = 0;
  bool exhausted = false;  // it might get smaller still
  std::vector<Trigger> triggers;
};

/// The simplest case that shows the failure of the original (docs/minimize.md), by the order of its
/// steps; the first row says which. Empty, with that row alone, where the original does not fail.
Minimised minimised(const Json& original, const Bench& bench, const Effort& effort);

}  // namespace plumb
