#pragma once

#include <string>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// What a smaller case must still show.
struct Failure {
  Verdict verdict = Verdict::exact;
  std::string where;              // empty where the worker died: nothing came out
  std::string relation;           // of relation-broken
  std::string message;            // of error and of a dead worker, with numbers left out
  std::vector<std::string> path;  // path_steps
  double r = 0;
};

Failure failure_of(const Result& row);

/// Whether the verdict says that something is wrong: `fallback` or worse.
bool is_failure(Verdict verdict);

/// Same verdict, place, relation and path; where r decides the verdict, at least a quarter of it.
bool same_failure(const Failure& failure, const Result& row);

/// The same but for the path, of which a case that asks for fewer gradients runs a part.
bool same_failure_in_part(const Failure& failure, const Result& row);

/// The operators of a path that compute something, in the order they first ran: what stays the same
/// when loops over a batch get shorter or a copy falls away. All of them where none computes.
std::vector<std::string> path_steps(const std::vector<std::string>& readable_path);

/// 16 hex digits over operator (of a scenario the name), dtype, verdict, path and where, and over
/// the variant that is not eager and the kind of device that is not the CPU.
std::string fingerprint(const Result& row);

/// Whether the text looks like one.
bool is_fingerprint(std::string_view text);

/// "range-inf", "range-nan", "range-zero", "masked", "unstable", "componentwise", "relation" …
std::string kind_of(const Result& row);

}  // namespace plumb
