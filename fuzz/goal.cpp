#include "fuzz/goal.hpp"

#include <algorithm>

#include "findings/failure.hpp"
#include "harness/errors.hpp"

namespace plumb {

bool Goal::wants(const Result& row) const {
  if (row.ok || !is_failure(row.verdict)) return false;
  if (row.verdict <= Verdict::out_of_memory) return true;
  if (verdicts.empty()) return row.verdict != Verdict::error;
  return std::find(verdicts.begin(), verdicts.end(), row.verdict) != verdicts.end();
}

const std::vector<Goal>& goals() {
  static const std::vector<Goal> all = {
      {"any", "whatever is not right, but for what torch refuses with an error", {}, "usual"},
      {"nonfinite",
       "NaN or infinity where a finite number is right",
       {Verdict::nonfinite},
       "none",
       256},
      {"error",
       "raised in this type or layout, though the call runs in double",
       {Verdict::error},
       "none",
       256},
      {"relation", "an equivalent call that disagrees", {Verdict::relation_broken}, "usual", 4},
      {"fallback",
       "right, but without the fused kernel that an ordinary call runs",
       {Verdict::fallback},
       "none",
       1 << 20,
       true},
      {"nondeterminism",
       "two runs that differ in bits",
       {Verdict::nondeterministic},
       "run-to-run",
       4},
  };
  return all;
}

const Goal& goal_or_usage_error(const std::string& name) {
  std::vector<std::string> names;
  for (const Goal& goal : goals()) {
    if (goal.name == name) return goal;
    names.push_back(goal.name);
  }
  throw UsageError("--goal: there is no '" + name + "'" + suggestion(name, names));
}

}  // namespace plumb
