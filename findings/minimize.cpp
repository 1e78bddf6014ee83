#include "findings/minimize.hpp"

#include <algorithm>

#include "findings/draft.hpp"
#include "findings/failure.hpp"
#include "findings/inline_case.hpp"
#include "findings/passes.hpp"

namespace plumb {
namespace {

constexpr int kRounds = 3;  // a step may open the way for one before it

/// One minimisation under way.
class Minimisation {
 public:
  Minimisation(const Json& original, const Bench& bench, const Effort& effort)
      : bench_(bench), effort_(effort) {
    result_.stored = original;
    result_.evaluations = 1;
    if (auto row = bench.judge(original)) result_.found = result_.row = std::move(*row);
  }

  Minimised run() && {
    if (!is_failure(result_.found.verdict)) return std::move(result_);
    failure_ = failure_of(result_.found);
    fewer_gradients();
    const int for_triggers =
        std::min(2 * effort_.triggers * effort_.trigger_attempts, effort_.evaluations / 4);
    Search search(result_.stored, left() - for_triggers, fails_strictly());
    reduce(search);
    result_.stored = search.best();
    result_.evaluations += search.evaluations();
    result_.exhausted = search.exhausted();
    result_.triggers = triggers_of(
        result_.stored, effort_.triggers, effort_.trigger_attempts,
        [&](const Json& candidate) {
          ++result_.evaluations;
          const auto row = bench_.judge(candidate);
          Failure any_r = failure_;
          any_r.r = 0;
          return row && same_failure(any_r, *row);
        },
        left());
    return std::move(result_);
  }

 private:
  int left() const { return effort_.evaluations - result_.evaluations; }

  StillFails fails_strictly() {
    return [this](const Json& candidate) {
      auto row = bench_.judge(candidate);
      if (!row || !same_failure(failure_, *row)) return false;
      result_.row = std::move(*row);
      return true;
    };
  }

  /// Whose path is a part of the original's; from then on that part must run.
  void fewer_gradients() {
    const Json grad = result_.stored.value("grad", Json());
    if (grad.is_null()) return;
    std::vector<Json> candidates = {Json()};
    if (grad.is_array() && grad.size() > 1) {
      for (const Json& name : grad) candidates.push_back(Json::array({name}));
    }
    for (const Json& fewer : candidates) {
      if (left() <= 0) return;
      Json candidate = result_.stored;
      candidate.erase("cotangent");
      if (!fewer.is_null()) candidate["grad"] = fewer;
      if (fewer.is_null()) candidate.erase("grad");
      ++result_.evaluations;
      const auto row = bench_.judge(candidate);
      if (!row || !same_failure_in_part(failure_, *row)) continue;
      result_.stored = std::move(candidate);
      result_.row = *row;
      failure_.path = path_steps(row->path);
      return;
    }
  }

  void reduce(Search& search) {
    drop_extras(search);
    if (element_count(search.best()) > kMostInline) shrink_sizes(search);
    search.attempt(bench_.inlined(search.best()));
    for (int round = 0; round < kRounds && !search.exhausted(); ++round) {
      const Json before = search.best();
      if (round > 0) drop_extras(search);
      shrink_sizes(search);
      plain_layout(search);
      to_background(search);
      if (search.best() == before) break;
    }
    simple_numbers(search);
    drop_extras(search);
  }

  const Bench& bench_;
  const Effort& effort_;
  Failure failure_;
  Minimised result_;
};

}  // namespace

Minimised minimised(const Json& original, const Bench& bench, const Effort& effort) {
  return Minimisation(original, bench, effort).run();
}

}  // namespace plumb
