#pragma once

#include <cstddef>
#include <functional>
#include <unordered_set>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// Whether a case still shows the failure that is being made smaller.
using StillFails = std::function<bool(const Json& candidate)>;

/// The simplest failing case so far, and what it cost. Deterministic: it counts evaluations, not
/// time, and never asks about a case twice.
class Search {
 public:
  Search(Json start, int budget, StillFails still_fails);

  const Json& best() const { return best_; }

  /// Whether the candidate fails too; it is then the best. False without asking once the budget is
  /// spent.
  bool attempt(Json candidate);

  int evaluations() const { return evaluations_; }
  int left() const { return budget_ - evaluations_; }
  bool exhausted() const { return left() <= 0; }

 private:
  Json best_;
  int budget_;
  int evaluations_ = 0;
  StillFails still_fails_;
  std::unordered_set<std::size_t> asked_;
};

/// Delta debugging: which of `count` things must stay, at least `least` of them, so that
/// `still_fails` holds of every set it is left with. Asks at most `attempts` times, and gives up
/// sooner where nothing could be taken away in sixteen parts.
std::vector<std::size_t> reduced(
    std::size_t count, std::size_t least, int attempts,
    const std::function<bool(const std::vector<std::size_t>& kept)>& still_fails);

}  // namespace plumb
