#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/contract.hpp"
#include "harness/oracle.hpp"
#include "harness/result.hpp"

namespace plumb {

/// The `expect` object of a case (docs/formats.md).
struct Expectation {
  std::vector<std::string> verdicts;
  Json values;  // null, a nested list for output 0, or {"0": …, "grad:x": …}
  std::optional<double> ulp;
  std::optional<double> rel;
  std::string raises;
  std::vector<std::string> path;
  std::string digest;

  bool lists(Verdict verdict) const {
    return std::find(verdicts.begin(), verdicts.end(), to_string(verdict)) != verdicts.end();
  }
  bool has_values() const { return !values.is_null(); }
  /// Whether an explicit `ulp` or `rel` replaces the bound.
  bool has_tolerance() const { return ulp.has_value() || rel.has_value(); }
};

/// Parses and checks `expect`, with the verdicts that hold for the torch this is built with;
/// `where` names file and field in InputError.
Expectation parse_expectation(const Json& json, const std::string& where);

/// The right values of the outputs a person wrote down; other outputs keep the oracle's truth, or
/// are left out where there is none. "*" and a satisfied bound ({"le": v}) take the output's own
/// value, {"any": […]} the nearest of them. InputError where the nesting does not fit the output.
Truths truths_from_values(const Expectation& expect, const Outputs& outputs, const Truths& oracle,
                          const std::string& where);

/// The bound that `ulp` or `rel` asks for.
BoundTerms tolerance_bound(const Expectation& expect, const Contract& contract);

}  // namespace plumb
