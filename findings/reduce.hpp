#pragma once

#include <string>
#include <vector>

#include "findings/minimize.hpp"
#include "harness/isolate.hpp"
#include "harness/task.hpp"

namespace plumb {

/// A failing case as it was found.
struct Alarm {
  Json stored;
  std::string file;    // in errors, and where external tensors lie
  Result row;          // what came of it there
  bool brief = false;  // little is spent on it: another tells as much
  Json flags = flags_beside_case(common_fields({}));  // of the command that found it
};

struct ReduceOptions {
  int jobs = 1;
  Limits limits;
  Effort effort;    // no evaluations: the cases stay as they are
  int confirm = 1;  // runs of the smaller case, which must agree with the failure and one another
  int hung_candidates = 20;  // of a case that hangs; each takes the whole deadline
};

struct Reduced {
  Minimised minimised;  // the original where it could not be made smaller
  Json seen;            // `observed` of the case
  std::string why_not;  // why it is the original, in words; else empty
};

/// Judges a case once, in a worker of its own. InputError where it is none. `flags` as
/// of an alarm.
Result judged_alone(Zygote& zygote, const Json& stored, const std::string& file, const Json& flags,
                    const Limits& limits);

/// Makes the cases smaller in workers, several at a time, and judges what came out in other ones. A
/// candidate that kills its worker counts as one that does not fail; where many do, or where the
/// failure itself is a dead worker, each candidate has its own. One that hangs ends the search.
std::vector<Reduced> reduce(Zygote& zygote, const std::vector<Alarm>& alarms,
                            const ReduceOptions& options);

}  // namespace plumb
