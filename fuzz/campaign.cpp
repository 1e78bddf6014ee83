#include "fuzz/campaign.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <set>

#include <ATen/core/enum_tag.h>

#include "fuzz/campaign_rows.hpp"
#include "fuzz/genome_case.hpp"
#include "fuzz/worker.hpp"
#include "harness/errors.hpp"
#include "harness/interrupt.hpp"
#include "harness/process_clock.hpp"
#include "harness/run.hpp"
#include "harness/scenario.hpp"
#include "harness/text.hpp"
#include "sweep/targets.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kDeathsOfAnOperator = 3;  // then it is left out

/// What a campaign writes to its folder, and nothing else.
void remove_campaign(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> ours = {folder / "inputs"};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    for (const char* beginning : {"failures-", "log-", "last-", "lit-"}) {
      if (name.starts_with(beginning)) ours.push_back(entry.path());
    }
  }
  for (const fs::path& path : ours) fs::remove_all(path, ignored);
}

/// Searches, and collects what workers say and what they died of.
class Campaign {
 public:
  Campaign(Zygote& zygote, const CampaignPlan& plan, const Options& options)
      : zygote_(zygote), plan_(plan), options_(options), limits_(options.limits) {
    limits_.threads = options.threads;
    limits_.timeout_seconds = plan.deadline;
    if (plan.is_fresh) remove_campaign(plan.corpus);
    fs::create_directories(plan.corpus / "inputs");
    for (int job = 0; job < plan.jobs; ++job) fs::remove(file("last", job));
    tallies_.resize(static_cast<std::size_t>(plan.jobs));
  }

  /// Until time or executions are spent, or it is interrupted.
  void search() {
    std::vector<Json> tasks;
    tasks.reserve(tallies_.size());
    for (int job = 0; job < plan_.jobs; ++job) tasks.push_back(task_of(job));
    while (!tasks.empty()) {
      std::vector<Json> again;
      run_isolated(
          zygote_, tasks, plan_.jobs, limits_,
          [&](std::size_t index, const Outcome& outcome) { ended(tasks[index], outcome, again); });
      tasks = std::move(again);
    }
    for (int job = 0; job < plan_.jobs; ++job) {
      if (!heard_.contains(job)) count_unheard(job);
      read_caught(file("failures", job), caught_);
    }
    const std::set<std::string> searched(plan_.ops.begin(), plan_.ops.end());
    std::erase_if(caught_, [&](const Caught& found) { return !searched.contains(found.row.op); });
    seconds_ = seconds_since(start_);
  }

  CampaignCounts counts() const {
    CampaignCounts all;
    for (const CampaignCounts& tally : tallies_) all.add(tally);
    all.seconds = seconds_;
    all.corpus = corpus_size();
    return all;
  }

  std::vector<Caught> caught() && { return distinct(std::move(caught_)); }

 private:
  fs::path file(const char* name, int job) const {
    return plan_.corpus /
           (std::string(name) + "-" + std::to_string(plan_.shard) + "-" + std::to_string(job));
  }

  std::size_t corpus_size() const {
    std::error_code ignored;
    const fs::directory_iterator files(plan_.corpus / "inputs", ignored);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  Json task_of(int job) const {
    Json task = common_fields(options_);
    const auto jobs = static_cast<std::uint64_t>(plan_.jobs);
    const auto number = static_cast<std::uint64_t>(job);
    const std::uint64_t runs = plan_.runs / jobs + (number < plan_.runs % jobs ? 1 : 0);
    const auto lane = static_cast<std::uint64_t>(plan_.shard) * jobs + number;
    task.update({{"kind", "fuzz"},
                 {"job", job},
                 {"jobs", plan_.jobs},
                 {"lane", lane},
                 {"seed", options_.seed * 1000003 + lane * 10007},
                 {"driver", plan_.driver},
                 {"goal", plan_.goal.name},
                 {"ops", plan_.ops},
                 {"dtypes", plan_.dtypes},
                 {"backward", plan_.backward},
                 {"corpus", (plan_.corpus / "inputs").string()},
                 {"catches", file("failures", job).string()},
                 {"log", file("log", job).string()},
                 {"last", file("last", job).string()},
                 {"lit", file("lit", job).string()},
                 {"has_company", plan_.jobs > 1 || plan_.shards > 1},
                 {"runs", runs},
                 {"seconds", plan_.seconds},
                 {"before", 0},
                 {"deaths", Json::object()}});
    task["seed_given"] = false;  // every case has its own
    return task;
  }

  /// The workers of an interrupted run end without a word.
  void count_unheard(int job) {
    if (const auto last = LastInput::read(file("last", job))) {
      tallies_[static_cast<std::size_t>(job)].executions += last->executions;
    }
  }

  void ended(Json task, const Outcome& outcome, std::vector<Json>& again) {
    heard_.insert(task["job"].get<int>());
    CampaignCounts tally = counts_from(outcome.label);
    const auto last = LastInput::read(task["last"].get<std::string>());
    const bool done = outcome.label.is_object() && outcome.label.value("done", false);
    if (!done && last) tally.executions = last->executions;  // the label is up to a second older
    tallies_[task["job"].get<std::size_t>()].add(tally);
    if (done || interrupted() != 0) return;
    std::ofstream(task["log"].get<std::string>(), std::ios::app)
        << "plumb: " << to_string(outcome.failure) << ": " << outcome.reason << "\n";
    const std::uint64_t before = task["before"].get<std::uint64_t>() + tally.executions;
    if (last) died(task, outcome, last->bytes, before);
    go_on(std::move(task), tally.executions, before, again);
  }

  /// The same search without what has killed it too often, for the rest of time and executions.
  void go_on(Json task, std::uint64_t executions, std::uint64_t before, std::vector<Json>& again) {
    task["before"] = before;
    task["seed"] = task["seed"].get<std::uint64_t>() + 1;
    if (task["runs"] != 0) {
      if (task["runs"].get<std::uint64_t>() <= executions) return;
      task["runs"] = task["runs"].get<std::uint64_t>() - executions;
    }
    if (plan_.seconds > 0) {
      const double left = plan_.seconds - seconds_since(start_);
      if (left < 1) return;
      task["seconds"] = left;
    }
    std::vector<std::string> ops = task["ops"];
    for (const auto& [op, count] : task["deaths"].items()) {
      if (count.get<int>() >= kDeathsOfAnOperator) std::erase(ops, op);
    }
    task["ops"] = ops;
    if (ops.empty()) return;
    heard_.erase(task["job"].get<int>());
    again.push_back(std::move(task));
  }

  void died(Json& task, const Outcome& outcome, const std::vector<std::uint8_t>& bytes,
            std::uint64_t execution) {
    // Its case is made in a worker: planning runs operators.
    const Json stored = case_in_worker(task, bytes);
    if (stored.is_null()) return;
    const std::string op = stored["op"];
    task["deaths"][op] = task["deaths"].value(op, 0) + 1;
    Caught found{.stored = stored, .row = {}, .execution = execution};
    found.row.name = stored["name"];
    found.row.op = op;
    found.row.dtype = stored["dtype"];
    found.row.verdict = outcome.failure;
    found.row.message = outcome.reason;
    found.row.ok = false;
    caught_.push_back(std::move(found));
  }

  Json case_in_worker(const Json& task, const std::vector<std::uint8_t>& bytes) {
    Json request = task;
    request["kind"] = "fuzz-case";
    request["bytes"] = bytes;
    Json stored;
    run_isolated(zygote_, {request}, 1, limits_, [&](std::size_t, const Outcome& outcome) {
      if (outcome.answered()) stored = outcome.answer;
    });
    return stored;
  }

  Zygote& zygote_;
  const CampaignPlan& plan_;
  const Options& options_;
  Limits limits_;
  Clock::time_point start_ = Clock::now();
  double seconds_ = 0;
  std::vector<CampaignCounts> tallies_;  // by job
  std::set<int> heard_;                  // jobs that came to an end
  std::vector<Caught> caught_;
};

/// An operator that may draw random numbers and whose settings ask for none (attention without
/// dropout); the harness notices what draws.
bool need_not_draw(const Target& target) {
  return target.handle.hasTag(at::Tag::nondeterministic_seeded) &&
         !rows_of_shapes(target.handle.schema().name()).empty();
}

}  // namespace

std::vector<std::string> searched_operators(const std::vector<std::string>& patterns, int shard,
                                            int shards) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns.empty() ? std::vector<std::string>{"*"} : patterns) {
    const std::vector<Target> found = targets({pattern});
    if (found.empty() && Registry<Scenario>::instance().find(pattern) != nullptr) {
      throw UsageError("fuzz: " + pattern +
                       " is a scenario; say which parameter to search, such as --set lr=1e-5..1");
    }
    if (found.empty()) refuse_unmatched(pattern);
  }
  for (const Target& target : targets(patterns)) {
    if (!target.why_not || need_not_draw(target)) names.push_back(target.name);
  }
  if (names.empty()) {
    throw UsageError("nothing is selected: no operator that inputs can be made for is called " +
                     joined(patterns, " or "));
  }
  if (names.size() < static_cast<std::size_t>(shards)) return names;
  std::vector<std::string> own;
  for (std::size_t i = static_cast<std::size_t>(shard); i < names.size();
       i += static_cast<std::size_t>(shards)) {
    own.push_back(names[i]);
  }
  return own;
}

std::vector<Result> run_campaign(Zygote& zygote, const CampaignPlan& plan, const Options& options,
                                 const std::string& out,
                                 const std::function<void(const Result&)>& each) {
  Campaign campaign(zygote, plan, options);
  campaign.search();
  const CampaignCounts counts = campaign.counts();
  const Settled settled = settle(zygote, std::move(campaign).caught(),
                                 settle_options(options, plan.jobs, plan.evaluations), out);
  std::vector<Result> rows = campaign_rows(plan, options, counts, settled);
  for (const Result& row : rows) each(row);
  return rows;
}

}  // namespace plumb
