#include "harness/verdict.hpp"

#include <algorithm>

namespace plumb {

std::optional<Verdict> verdict_from(std::string_view word) {
  const auto found = std::find(kVerdictNames.begin(), kVerdictNames.end(), word);
  if (found == kVerdictNames.end()) return std::nullopt;
  return static_cast<Verdict>(found - kVerdictNames.begin());
}

std::string_view meaning(Verdict verdict) {
  switch (verdict) {
    case Verdict::crashed: return "the process running it died";
    case Verdict::hung: return "it did not finish before its deadline";
    case Verdict::out_of_memory: return "it asked for more memory than its limit";
    case Verdict::error: return "it raised, or returned the wrong shape, dtype or count";
    case Verdict::nonfinite: return "NaN or infinity where another value is right";
    case Verdict::masked: return "a finite value where the right one is NaN or infinite";
    case Verdict::flushed: return "exactly zero where the right value is a normal number";
    case Verdict::unstable: return "further from the truth than any sound kernel in this precision";
    case Verdict::relation_broken: return "an equivalent evaluation gives a different answer";
    case Verdict::invariant_broken: return "a named property that needs no numbers does not hold";
    case Verdict::nondeterministic: return "identical runs differ in bits";
    case Verdict::fallback: return "right values, but not by the intended path";
    case Verdict::oracle_weak: return "the oracle itself is too inaccurate to decide";
    case Verdict::inconclusive:
      return "eager and this variant are off alike; no wider oracle decides";
    case Verdict::vacuous: return "the check could not have failed";
    case Verdict::overflow: return "the true value exceeds the output type; infinity is right";
    case Verdict::ill_conditioned: return "no kernel in this precision could do better";
    case Verdict::stable: return "as accurate as its precision promises";
    case Verdict::exact: return "every value is the truth rounded once";
    case Verdict::skipped: return "not run here";
    case Verdict::unsupported: return "nothing can judge it";
  }
  return "";
}

bool ok_unless_expected(Verdict verdict) {
  switch (verdict) {
    case Verdict::exact:
    case Verdict::stable:
    case Verdict::ill_conditioned:
    case Verdict::overflow:
    case Verdict::skipped:
    case Verdict::unsupported: return true;
    default: return false;
  }
}

}  // namespace plumb
