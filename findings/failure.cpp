#include "findings/failure.hpp"

#include <algorithm>

#include "harness/digest.hpp"
#include "harness/text.hpp"
#include "harness/traits.hpp"

namespace plumb {
namespace {

/// The worker ended without an answer, so there is no output, path or r.
bool is_dead(Verdict verdict) { return verdict <= Verdict::out_of_memory; }

/// "size 3 must match size 4" and "size 1 must match size 2" are one message.
std::string without_numbers(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) plain += c;
    if (digit && !plain.ends_with('#')) plain += '#';
  }
  return plain;
}

/// The message of a broken relation begins with its name.
std::string relation_of(const Result& row) {
  if (row.verdict != Verdict::relation_broken) return "";
  return row.message.substr(0, row.message.find(':'));
}

std::string place_of(const Result& row) {
  return is_dead(row.verdict) || row.verdict == Verdict::error ? "" : row.where;
}

bool same_but_path(const Failure& failure, const Result& row) {
  const Failure now = failure_of(row);
  if (now.verdict != failure.verdict || now.where != failure.where ||
      now.relation != failure.relation || now.message != failure.message) {
    return false;
  }
  const bool r_decides =
      failure.verdict == Verdict::unstable || failure.verdict == Verdict::flushed;
  return !r_decides || now.r >= failure.r / 4;
}

}  // namespace

bool is_failure(Verdict verdict) { return verdict <= Verdict::fallback; }

Failure failure_of(const Result& row) {
  Failure failure{.verdict = row.verdict,
                  .where = place_of(row),
                  .relation = relation_of(row),
                  .message = {},
                  .path = path_steps(row.path),
                  .r = row.r.value_or(0)};
  if (row.verdict == Verdict::error || is_dead(row.verdict)) {
    failure.message = without_numbers(row.message);
  }
  return failure;
}

bool same_failure(const Failure& failure, const Result& row) {
  return same_but_path(failure, row) && failure.path == path_steps(row.path);
}

bool same_failure_in_part(const Failure& failure, const Result& row) {
  if (!same_but_path(failure, row)) return false;
  const auto steps = path_steps(row.path);
  auto next = failure.path.begin();
  return std::all_of(steps.begin(), steps.end(), [&](const std::string& step) {
    next = std::find(next, failure.path.end(), step);
    return next != failure.path.end() && next++ != failure.path.end();
  });
}

std::vector<std::string> path_steps(const std::vector<std::string>& readable_path) {
  std::vector<std::string> all;
  std::vector<std::string> computing;
  for (const std::string& entry : readable_path) {
    if (entry.starts_with("…")) continue;
    const std::string name = entry.substr(0, entry.find(" x"));
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    all.push_back(name);
    if (rounding_steps({name}) > 0) computing.push_back(name);
  }
  return computing.empty() ? all : computing;
}

std::string fingerprint(const Result& row) {
  const Failure failure = failure_of(row);
  const std::string place = failure.relation.empty() ? failure.where : failure.relation;
  const std::string& what = row.op.empty() ? row.name : row.op;  // a scenario has no operator
  std::vector<std::string> parts = {what, row.dtype, std::string(to_string(row.verdict)),
                                    joined(failure.path, ","), place};
  // The path does not tell kernels of other libraries apart.
  if (row.variant != "eager") parts.push_back(row.variant);
  if (!row.device.starts_with("cpu")) parts.push_back("cuda");
  const std::string key = joined(parts, "|");
  return short_hash(key) + short_hash(key + "|");
}

bool is_fingerprint(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string kind_of(const Result& row) {
  switch (row.verdict) {
    case Verdict::nonfinite: return row.nan.value_or(0) > 0 ? "range-nan" : "range-inf";
    case Verdict::flushed: return "range-zero";
    case Verdict::unstable: return row.scope == "componentwise" ? "componentwise" : "unstable";
    case Verdict::relation_broken: return "relation";
    case Verdict::fallback: return "path";
    default: return std::string(to_string(row.verdict));
  }
}

}  // namespace plumb
