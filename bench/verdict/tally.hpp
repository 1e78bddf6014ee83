#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/verdict/operation.hpp"
#include "bench/verdict/rules.hpp"

namespace plumb::bench {

/// What one rule said over the whole set.
struct RuleTally {
  std::string name;
  int false_alarms = 0;
  int false_alarms_ill = 0;  // on healthy outputs of ill-conditioned cases
  int caught = 0;
  int caught_precision = 0;
  int undecided = 0;
  double seconds = 0;

  void add_healthy(Opinion opinion, bool ill_conditioned);
  void add_planted(Opinion opinion, Harm harm);
  double precision() const;
};

struct KindTally {
  int planted = 0;
  int excluded = 0;
  int caught = 0;
  int missed = 0;
};

struct Tally {
  std::vector<RuleTally> rules;  // [0] is ours
  std::map<std::string, KindTally> kinds;
  int healthy = 0;
  int healthy_ill = 0;
  int planted = 0;  // the excluded not counted
  int planted_precision = 0;

  double recall(const RuleTally& rule) const;
};

/// The two tables, padded for a terminal or as Markdown.
std::string rule_table(const Tally& tally, bool markdown);
std::string kind_table(const Tally& tally, bool markdown);

}  // namespace plumb::bench
