#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "harness/format.hpp"

namespace plumb::bench {

/// What the rules of other tools are told about one output. All values as doubles, which hold those
/// of every type exactly.
struct Sample {
  std::string operation;
  Format format = Format::f32;
  std::int64_t terms = 1;         // added up per output element
  std::vector<double> output{};   // y
  std::vector<double> truth{};    // g
  std::vector<double> rounded{};  // g rounded to the output type
  std::vector<double> eager{};    // stock torch in the same type
};

enum class Opinion { pass, alarm, undecided };

/// A published rule, written from its formula (docs/verdict.md cites each). Where g is out of range
/// of the type and y agrees, the element passes unless the rule itself says otherwise.
struct Rule {
  std::string name;
  std::function<Opinion(const Sample&)> judge;
};

/// All peers, in the order of the table.
const std::vector<Rule>& peer_rules();

}  // namespace plumb::bench
