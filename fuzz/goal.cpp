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
      {"any", {}, "usual"},
      {"nonfinite", {Verdict::nonfinite}, "none", 256},
      {"error", {Verdict::error}, "none", 256},
      {"relation", {Verdict::relation_broken}, "usual", 4},
      {"fallback", {Verdict::fallback}, "none", 1 << 20, true},
      {"nondeterminism", {Verdict::nondeterministic}, "run-to-run", 4},
  };
  return all;
}

std::vector<std::string> goal_names() {
  std::vector<std::string> names;
  for (const Goal& goal : goals()) names.push_back(goal.name);
  return names;
}

const Goal& goal_or_usage_error(const std::string& name) {
  for (const Goal& goal : goals()) {
    if (goal.name == name) return goal;
  }
  throw UsageError("--goal: there is no '" + name + "'" + suggestion(name, goal_names()));
}

}  // namespace plumb
