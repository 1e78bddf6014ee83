#pragma once

#include <string>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// What a campaign looks for.
struct Goal {
  std::string name;               // docs/fuzz.md says what each looks for
  std::vector<Verdict> verdicts;  // besides dead workers, which always count; empty: all failures
  std::string relations;          // asked of cases that are right: a word of --relations
  int ask_every = 64;             // so many settled cases for one that the harness judges as well
  bool about_paths = false;       // cases that leave their fused kernel are what is looked for
  bool only_glances = false;      // the harness is never asked: features depend on the input alone

  bool wants(const Result& row) const;
};

const std::vector<Goal>& goals();

std::vector<std::string> goal_names();

/// UsageError with the nearest name.
const Goal& goal_or_usage_error(const std::string& name);

}  // namespace plumb
