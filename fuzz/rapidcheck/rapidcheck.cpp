// RapidCheck over the same grammar: the law is that the harness finds nothing, a failure is made
// simpler by steps of the grammar, and the log says how to see the same again. Generators and
// shrinkers are ours: RapidCheck's floats are never NaN, infinite or subnormal.

#include <chrono>
#include <iostream>
#include <set>

#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "fuzz/driver.hpp"
#include "fuzz/features.hpp"
#include "fuzz/simpler.hpp"
#include "harness/process_clock.hpp"

namespace plumb {

/// How RapidCheck prints a counterexample.
// NOLINTNEXTLINE(readability-identifier-naming): RapidCheck gives the name
void showValue(const Genome& genome, std::ostream& out) {
  for (const std::uint8_t byte : encode(genome)) {
    constexpr char kDigits[] = "0123456789abcdef";
    out << kDigits[byte >> 4] << kDigits[byte & 15];
  }
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLaw = "plumb fuzz";

rc::Gen<Genome> genomes(const Choices& choices) {
  return [choices](const rc::Random& random, int) {
    rc::Random own(random);
    Random draws(own.next());
    return rc::shrinkable::shrinkRecur(sample(choices, draws), [](const Genome& genome) {
      return rc::seq::fromContainer(simpler(genome));
    });
  };
}

/// RC_PARAMS names a failure: that alone is shown.
bool is_told_what() { return !rc::detail::configuration().reproduce.empty(); }

/// What has been spent, and which failures are known.
class Search {
 public:
  explicit Search(const DriverRun& run) : run_(run) {}

  bool is_over() const {
    if (run_.runs > 0 && executions_ >= run_.runs) return true;
    return run_.seconds > 0 && seconds_since(start_) >= run_.seconds;
  }

  /// Checks the law once more; it fails for another reason than before or not at all.
  void check_once(std::uint64_t seed) {
    failure_.clear();
    rc::detail::TestParams params;
    params.seed = seed;
    params.maxSuccess = 1000;
    params.maxDiscardRatio = 100;
    const rc::detail::TestMetadata metadata{.id = kLaw, .description = kLaw};
    const auto law = [this] {
      const Genome genome = *genomes(run_.choices);
      if (is_over() && !is_told_what()) return;  // the rest of the round passes unseen
      if (!holds(genome)) RC_FAIL(failure_);
    };
    rc::detail::TestListenerAdapter silent;
    const rc::detail::TestResult result = rc::detail::checkTestable(
        law, metadata, params, silent, rc::detail::configuration().reproduce);
    if (failure_.empty()) return;
    known_.insert(failure_);
    tell(result);
    run_.file(encode(simplest_));
  }

 private:
  /// The simplest case, and what shows it again when the same operators are searched.
  void tell(const rc::detail::TestResult& result) const {
    rc::detail::printResultMessage(result, std::cout);
    std::cout << "\n" << run_.describe(encode(simplest_)) << "\n";
    rc::detail::FailureResult failure;
    if (result.match(failure)) {
      rc::detail::Configuration again;
      again.reproduce.emplace(kLaw, failure.reproduce);
      std::cout << "RC_PARAMS='" << rc::detail::configToMinimalString(again) << "'\n";
    }
    std::cout << std::endl;
  }

  /// While a failure is made simpler, only the same one counts.
  bool holds(const Genome& genome) {
    ++executions_;
    const auto found = run_.judge(encode(genome), /*in_full=*/!failure_.empty());
    RC_PRE(found.has_value());
    if (found->empty() || known_.contains(*found)) return true;
    if (!failure_.empty() && *found != failure_) return true;
    failure_ = *found;
    simplest_ = genome;
    return false;
  }

  const DriverRun& run_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t executions_ = 0;
  std::set<std::string> known_;
  std::string failure_;  // of this round
  Genome simplest_;
};

void search(const DriverRun& run) {
  Search search(run);
  if (is_told_what()) return search.check_once(run.seed);
  for (std::uint64_t seed = run.seed; !search.is_over(); ++seed) search.check_once(seed);
}

/// Features say only what is asked of the harness.
std::uint8_t cells[Features::kCells];

const Register<Driver> registered{
    {.name = "rapidcheck", .cells = [] { return std::span(cells); }, .run = search}};

}  // namespace
}  // namespace plumb
