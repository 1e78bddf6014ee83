#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace plumb {

/// The judgement of one result, worst first (docs/verdict.md). The order is part of the contract:
/// a case takes the worst verdict of its outputs.
enum class Verdict {
  crashed,
  hung,
  out_of_memory,
  error,
  nonfinite,
  masked,
  flushed,
  unstable,
  relation_broken,
  invariant_broken,
  nondeterministic,
  fallback,
  oracle_weak,
  inconclusive,
  vacuous,
  overflow,
  ill_conditioned,
  stable,
  exact,
  skipped,
  unsupported,
};

inline constexpr std::array<std::string_view, 21> kVerdictNames = {
    "crashed",
    "hung",
    "out-of-memory",
    "error",
    "nonfinite",
    "masked",
    "flushed",
    "unstable",
    "relation-broken",
    "invariant-broken",
    "nondeterministic",
    "fallback",
    "oracle-weak",
    "inconclusive",
    "vacuous",
    "overflow",
    "ill-conditioned",
    "stable",
    "exact",
    "skipped",
    "unsupported",
};

/// The spelling used in files, reports and flags: `ill-conditioned`.
constexpr std::string_view to_string(Verdict verdict) {
  return kVerdictNames[static_cast<std::size_t>(verdict)];
}

/// Inverse of to_string; empty for an unknown word.
std::optional<Verdict> verdict_from(std::string_view word);

/// One sentence in plain words for a reader who does not know the rule.
std::string_view meaning(Verdict verdict);

constexpr bool worse(Verdict a, Verdict b) { return a < b; }

/// Whether a result with no expectation counts as ok (docs/formats.md, "ok").
bool ok_unless_expected(Verdict verdict);

}  // namespace plumb
