#pragma once

#include <limits>
#include <string>
#include <vector>

#include "findings/search.hpp"

namespace plumb {

/// Between which values of one number, all else as it is, the failure holds.
struct Trigger {
  std::string argument;
  Json value;  // these three as number_literal writes them
  Json low;    // the least value in one run with `value` that fails
  Json high;   // the greatest
};

Json to_json(const Trigger& trigger);

/// By bisection among the values of the number's format, outwards from it: up to `count` numbers of
/// the case, each for at most `attempts` evaluations a side (the bound is then one that fails, not
/// the last), `most` evaluations altogether.
std::vector<Trigger> triggers_of(const Json& stored, int count, int attempts,
                                 const StillFails& still_fails,
                                 int most = std::numeric_limits<int>::max());

}  // namespace plumb
