#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

// What every report says, said once: a reporter only chooses the layout.

/// How a result counts. A failure that was asked for (a faulty arm, a documented limit) is as
/// expected: it is ok, but it is not a sign of health.
enum class Status { not_ok, as_expected, ok, not_judged };

Status status(const Result& result);
std::string_view to_string(Status status);

/// One line of the summary: "not ok", 3, "2 unstable, 1 nonfinite".
struct Tally {
  Status status;
  int count;
  std::string verdicts;  // worst first; "none" for a count of 0
};

/// One labelled fact: {"error", "max abs 1.2, max ulp 12"}.
struct Evidence {
  std::string label;
  std::string text;
};

/// The whole run in one sentence: "3 of 41 results are not ok".
std::string headline(const Report& report);

/// All four statuses, in the order of the enum.
std::vector<Tally> tallies(const Report& report);

/// What the exit code of these results says: "exit 1: a result is not ok".
std::string exit_meaning(const Report& report);

/// "torch 2.15.0 · AVX2 · 1 thread · seed 0 · plumb 0.1.0 (abc1234) · 2026-01-01T00:00:00Z".
std::string environment_line(const Environment& environment);

/// Whether r says anything: where an element is NaN or infinite and must not be, or the reverse, it
/// covers the other elements alone and would read as perfect. (Such rows have no r; older files
/// do.)
bool r_counts(const Result& result);

/// Whether the verdict is about r; that of a broken relation or a fallback is not, however small r.
bool r_decides(const Result& result);

/// r for a column: "0.31", "–" where no number could say how wrong it is, "" where none was
/// computed.
std::string r_text(const Result& result);

/// Everything known about a result but its message, path, series, tables and replay line.
std::vector<Evidence> evidence(const Result& result);

/// "log-softmax/faulty", or the name alone for a stored case.
std::string name_and_arm(const Result& result);

/// "output 0 [3, 17]".
std::string place(const Result& result);

/// Most urgent first.
std::vector<const Result*> by_urgency(const Report& report);

/// Failures that likely have one cause: one name, operator, verdict and place, in several dtypes or
/// cases. The most urgent first.
using Group = std::vector<const Result*>;

/// All results, the group with the most urgent one first. What is no failure stays alone.
std::vector<Group> by_cause(const Report& report);

/// The dtypes of a group, each once, as flags accept them: "f32 bf16 f16".
std::string dtypes_of(const Group& group);

}  // namespace plumb
