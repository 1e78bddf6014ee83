#include "harness/result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

bool starts_with_documented(const std::string& tag) { return tag.starts_with("documented"); }

}  // namespace

bool is_ok(const Result& result) {
  // A device that is absent says nothing about the program, whatever was expected of it.
  if (result.verdict == Verdict::skipped) return true;
  if (result.expected.empty()) {
    return ok_unless_expected(result.verdict) ||
           std::any_of(result.tags.begin(), result.tags.end(), starts_with_documented);
  }
  const auto listed = [&](Verdict verdict) {
    return std::find(result.expected.begin(), result.expected.end(), to_string(verdict)) !=
           result.expected.end();
  };
  return listed(result.verdict) || (result.verdict == Verdict::exact && listed(Verdict::stable));
}

void copy_numbers(const Result& from, Result& to) {
  to.oracle = from.oracle;
  to.scope = from.scope;
  to.severity = from.severity;
  to.r = from.r;
  to.rho = from.rho;
  to.r_eager = from.r_eager;
  to.lost_bits = from.lost_bits;
  to.max_abs = from.max_abs;
  to.max_rel = from.max_rel;
  to.max_ulp = from.max_ulp;
  to.nmse = from.nmse;
  to.nan = from.nan;
  to.inf = from.inf;
}

bool more_urgent(const Result& a, const Result& b) {
  if (a.ok != b.ok) return b.ok;
  if (a.verdict != b.verdict) return worse(a.verdict, b.verdict);
  // No severity is the least, NaN the greatest.
  const auto weight = [](const Result& result) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double severity = result.severity.value_or(-infinity);
    return std::isnan(severity) ? infinity : severity;
  };
  if (weight(a) != weight(b)) return weight(a) > weight(b);
  const auto ratio = [](const Result& result) { return result.r.value_or(0); };
  if (ratio(a) != ratio(b)) return ratio(a) > ratio(b);  // no NaN: that has a severity
  return a.id < b.id;
}

int exit_code(const std::vector<Result>& results) {
  const auto skipped = [](const Result& r) { return r.verdict == Verdict::skipped; };
  if (!results.empty() && std::all_of(results.begin(), results.end(), skipped)) return 77;
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.ok; }) ? 0 : 1;
}

}  // namespace plumb
