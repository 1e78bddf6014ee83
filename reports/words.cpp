#include "reports/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/text.hpp"
#include "reports/text.hpp"

namespace plumb {
namespace {

constexpr std::array kStatuses = {Status::not_ok, Status::as_expected, Status::ok,
                                  Status::not_judged};

std::string expectation(const Result& result) {
  const std::string wanted = joined(result.expected, " or ");
  if (result.verdict == Verdict::skipped) return wanted + "; not tried";
  if (result.ok) return wanted + "; met";
  const bool listed = std::find(result.expected.begin(), result.expected.end(),
                                to_string(result.verdict)) != result.expected.end();
  return wanted + (listed ? "; met, but not all of the expectation holds"
                          : "; came out " + std::string(to_string(result.verdict)));
}

/// "2.1e4 times the error bound (14.4 bits beyond it)".
std::string against_bound(double r) {
  if (r == 0) return "0: no error";
  if (r <= 1) return number(r) + " of the error bound";
  std::string text = number(r) + " times the error bound";
  if (std::isfinite(r)) text += " (" + number(std::log2(r)) + " bits beyond it)";
  return text;
}

std::string distances(const Result& result) {
  std::vector<std::string> parts;
  if (result.max_abs) parts.push_back("max abs " + number(*result.max_abs));
  if (result.max_rel) parts.push_back("max rel " + number(*result.max_rel));
  if (result.max_ulp) parts.push_back("max " + plural(*result.max_ulp, "ulp"));
  if (result.nmse) parts.push_back("nmse " + number(*result.nmse));
  return joined(parts, ", ");
}

std::string nonfinite_counts(const Result& result) {
  std::vector<std::string> parts;
  if (result.nan) parts.push_back(std::to_string(*result.nan) + " NaN");
  if (result.inf) parts.push_back(std::to_string(*result.inf) + " inf");
  return joined(parts, ", ");
}

bool is_of_wrong_class(const Result& result) {
  return result.verdict == Verdict::nonfinite || result.verdict == Verdict::masked;
}

std::string times(const Result& result) {
  if (result.seconds == 0 && result.oracle_seconds == 0) return "";
  std::string text = number(result.seconds) + " s";
  if (result.oracle_seconds > 0) text += ", oracle " + number(result.oracle_seconds) + " s";
  return text;
}

}  // namespace

Status status(const Result& result) {
  if (!result.ok) return Status::not_ok;
  if (result.verdict == Verdict::skipped || result.verdict == Verdict::unsupported) {
    return Status::not_judged;
  }
  return ok_unless_expected(result.verdict) ? Status::ok : Status::as_expected;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::not_ok: return "not ok";
    case Status::as_expected: return "as expected";
    case Status::ok: return "ok";
    case Status::not_judged: return "not judged";
  }
  return "";
}

std::string headline(const Report& report) {
  const auto all = static_cast<long long>(report.results.size());
  long long bad = 0, idle = 0, skipped = 0;
  for (const Result& result : report.results) {
    bad += status(result) == Status::not_ok;
    idle += status(result) == Status::not_judged;
    skipped += result.verdict == Verdict::skipped;
  }
  if (all == 0) return "no results";
  if (bad > 0) {
    return std::to_string(bad) + " of " + plural(all, "result") + (bad == 1 ? " is" : " are") +
           " not ok";
  }
  if (idle == all) {
    std::string text = "nothing was judged: ";
    if (skipped > 0) text += plural(skipped, "result") + " skipped";
    if (skipped > 0 && skipped < all) text += ", ";
    if (skipped < all) text += plural(all - skipped, "result") + " unsupported";
    return text;
  }
  if (all - idle == 1) return idle ? "the one judged result is ok" : "the one result is ok";
  return "all " + std::to_string(all - idle) + (idle ? " judged" : "") + " results are ok";
}

std::vector<Tally> tallies(const Report& report) {
  std::vector<Tally> lines;
  for (const Status wanted : kStatuses) {
    std::map<Verdict, int> counts;
    int total = 0;
    for (const Result& result : report.results) {
      if (status(result) != wanted) continue;
      ++counts[result.verdict];
      ++total;
    }
    std::vector<std::string> words;
    for (const auto& [verdict, count] : counts) {
      words.push_back(std::to_string(count) + " " + std::string(to_string(verdict)));
    }
    lines.push_back({wanted, total, words.empty() ? "none" : joined(words, ", ")});
  }
  return lines;
}

std::string exit_meaning(const Report& report) {
  switch (exit_code(report.results)) {
    case 0: {
      const auto idle = [](const Result& r) { return status(r) == Status::not_judged; };
      const bool nothing = std::all_of(report.results.begin(), report.results.end(), idle);
      return nothing ? "exit 0: nothing was judged, so nothing failed"
                     : "exit 0: every result is ok";
    }
    case 77: return "exit 77: everything selected was skipped";
    default: return "exit 1: a result is not ok";
  }
}

std::string environment_line(const Environment& e) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) parts.push_back(std::string(label) + one_line(value));
  };
  add("torch ", e.torch);
  add("CUDA ", e.cuda);
  add("cuBLAS ", e.cublas);
  add("driver ", e.driver);
  add("", e.cpu_capability);
  parts.push_back(plural(e.threads, "thread"));
  parts.push_back("seed " + std::to_string(e.seed));
  add("plumb ", e.git.empty() ? e.plumb : e.plumb + " (" + e.git + ")");
  add("", e.time);
  return joined(parts, " · ");
}

bool r_counts(const Result& result) {
  // Of these it is that of the first answer, which is right.
  const bool is_of_another = result.verdict == Verdict::relation_broken ||
                             result.verdict == Verdict::nondeterministic ||
                             (result.verdict == Verdict::fallback && !result.ok);
  return result.r && !is_of_wrong_class(result) && !is_of_another;
}

bool r_decides(const Result& result) {
  switch (result.verdict) {
    case Verdict::flushed:
    case Verdict::unstable:
    case Verdict::oracle_weak:
    case Verdict::inconclusive:
    case Verdict::overflow:
    case Verdict::ill_conditioned:
    case Verdict::stable:
    case Verdict::exact: return r_counts(result);
    default: return false;
  }
}

std::string r_text(const Result& result) {
  if (is_of_wrong_class(result) || (result.r && !r_counts(result))) return "–";
  return result.r ? number(*result.r) : "";
}

std::vector<Evidence> evidence(const Result& result) {
  std::vector<Evidence> facts;
  const auto add = [&](std::string label, const std::string& text) {
    if (!text.empty()) facts.push_back({std::move(label), one_line(text)});
  };
  add("verdict",
      std::string(to_string(result.verdict)) + ": " + std::string(meaning(result.verdict)));
  if (!result.expected.empty()) add("expected", expectation(result));
  if (is_of_wrong_class(result)) {
    add("r", "–: a finite and a non-finite value have no distance that a bound could measure");
  } else if (result.r) {
    add("r", against_bound(*result.r));
  }
  if (result.severity && !result.r) add("severity", number(*result.severity) + " bits");
  if (result.rho) {
    add("ρ", number(*result.rho) +
                 ": the best relative accuracy any kernel in this precision can promise there");
  }
  if (result.r_eager && r_counts(result))
    add("r of eager", number(*result.r_eager) + " in the same dtype");
  if (result.lost_bits) {
    add("lost bits", number(*result.lost_bits) + " against a kernel that accumulates in float32");
  }
  if (result.scope == "componentwise") add("scope", "componentwise: the norm hides it");
  if (result.scope == "normwise") add("scope", "normwise: it shows in the norm of the output");
  add("worst element", place(result));
  add("error", distances(result));
  add("non-finite", nonfinite_counts(result));
  add("oracle", result.oracle);
  add("tags", joined(result.tags, ", "));
  add("time", times(result));
  add("path hash", result.path_hash);
  add("digest", result.digest);
  add("id", result.id);
  return facts;
}

std::string name_and_arm(const Result& result) {
  const bool stored = result.arm.empty() || result.arm == "case";
  return one_line(stored ? result.name : result.name + "/" + result.arm);
}

std::string place(const Result& result) {
  std::vector<std::string> index;
  for (const std::int64_t i : result.worst_index) index.push_back(std::to_string(i));
  const std::string where = one_line(result.where);
  if (index.empty()) return where;
  return (where.empty() ? "" : where + " ") + "[" + joined(index, ", ") + "]";
}

std::vector<const Result*> by_urgency(const Report& report) {
  std::vector<const Result*> order;
  for (const Result& result : report.results) order.push_back(&result);
  std::stable_sort(order.begin(), order.end(),
                   [](const Result* a, const Result* b) { return more_urgent(*a, *b); });
  return order;
}

std::vector<Group> by_cause(const Report& report) {
  std::vector<Group> groups;
  std::map<std::vector<std::string>, std::size_t> place_of;
  for (const Result* r : by_urgency(report)) {
    const bool failure = status(*r) == Status::not_ok || status(*r) == Status::as_expected;
    if (!failure) {
      groups.push_back({r});
      continue;
    }
    const std::vector<std::string> cause = {
        r->name,    r->arm,    r->op,    std::string(to_string(status(*r))),
        r->variant, r->device, r->where, std::string(to_string(r->verdict))};
    const auto [place, is_new] = place_of.emplace(cause, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(r);
  }
  return groups;
}

std::string dtypes_of(const Group& group) {
  std::vector<std::string> words;
  for (const Result* result : group) {
    std::string word = one_line(result->dtype);
    const std::size_t place = word.find("float");
    if (place <= 1) word.replace(place, 5, "f");
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return joined(words, " ");
}

}  // namespace plumb
