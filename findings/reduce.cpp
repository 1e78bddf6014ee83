#include "findings/reduce.hpp"

#include <algorithm>

#include "findings/failure.hpp"
#include "findings/reduce_task.hpp"
#include "harness/errors.hpp"
#include "harness/interrupt.hpp"

namespace plumb {
namespace {

// Enough to write values down and to drop what is idle.
constexpr Effort kBriefly{.evaluations = 12, .triggers = 0};
constexpr std::size_t kLives = 6;  // candidates of one case that may kill a worker

bool is_dead(Verdict verdict) { return verdict <= Verdict::out_of_memory; }

/// The row that an evaluation came to, whether or not the worker lived to send it.
std::optional<Result> row_of(const Outcome& outcome) {
  if (outcome.answered()) {
    if (!outcome.answer.contains("row")) return std::nullopt;
    return result_from_json(outcome.answer["row"], "worker");
  }
  if (outcome.label.is_null()) return std::nullopt;
  Result row = result_from_json(outcome.label, "worker");
  row.verdict = outcome.failure;
  row.message = outcome.reason;
  row.ok = is_ok(row);
  return row;
}

Outcome only_outcome(Zygote& zygote, const Json& task, const Limits& limits) {
  Outcome only;
  only.failure = Verdict::crashed;  // where the run is interrupted
  run_isolated(zygote, {task}, 1, limits,
               [&](std::size_t, Outcome outcome) { only = std::move(outcome); });
  return only;
}

class Reducer {
 public:
  Reducer(Zygote& zygote, const std::vector<Alarm>& alarms, const ReduceOptions& options)
      : zygote_(zygote), alarms_(alarms), options_(options), results_(alarms.size()) {
    for (std::size_t i = 0; i < alarms.size(); ++i) keep_original(i, "");
  }

  std::vector<Reduced> run() && {
    if (options_.effort.evaluations > 0) {
      minimise_in_workers();
      for (std::size_t i = 0; i < alarms_.size(); ++i) {
        if (!alarms_[i].brief && is_dead(alarms_[i].row.verdict)) one_by_one_.push_back(i);
      }
      for (const std::size_t i : one_by_one_) {
        if (interrupted() == 0) minimise_from_here(i);
      }
    }
    for (int i = 0; i < options_.confirm; ++i) confirm();
    return std::move(results_);
  }

 private:
  void keep_original(std::size_t i, const std::string& why) {
    results_[i].minimised = {.stored = alarms_[i].stored,
                             .found = alarms_[i].row,
                             .row = alarms_[i].row,
                             .evaluations = results_[i].minimised.evaluations,
                             .exhausted = false,
                             .triggers = {}};
    results_[i].why_not = why;
  }

  void minimise_in_workers() {
    std::vector<Json> tasks;
    for (std::size_t i = 0; i < alarms_.size(); ++i) {
      if (is_dead(alarms_[i].row.verdict)) continue;
      tasks.push_back(minimize_task(alarms_[i].stored, alarms_[i].file, alarms_[i].flags,
                                    alarms_[i].brief ? kBriefly : options_.effort));
      tasks.back()["order"] = i;
    }
    while (!tasks.empty()) {
      std::vector<Json> again;
      run_isolated(
          zygote_, tasks, options_.jobs, options_.limits,
          [&](std::size_t index, Outcome outcome) { ended(tasks[index], outcome, again); });
      std::sort(again.begin(), again.end(),
                [](const Json& a, const Json& b) { return a["order"] < b["order"]; });
      tasks = std::move(again);
    }
  }

  void ended(Json& task, const Outcome& outcome, std::vector<Json>& again) {
    const std::size_t i = task["order"];
    if (outcome.answered()) {
      results_[i].minimised = minimised_from(outcome.answer);
      if (is_failure(results_[i].minimised.found.verdict)) return;
      keep_original(i, "it did not fail again");
    } else if (outcome.label.is_null() || outcome.failure == Verdict::hung) {
      keep_original(i, "a smaller case ends the worker: " + outcome.reason);
    } else if (task["lethal"].size() >= kLives) {
      one_by_one_.push_back(i);
    } else {
      task["lethal"].push_back(outcome.label["candidate"]);
      again.push_back(task);
    }
  }

  /// Each candidate in a worker of its own.
  void minimise_from_here(std::size_t i) {
    const Alarm& alarm = alarms_[i];
    const bool hung = alarm.row.verdict == Verdict::hung;
    Effort effort = options_.effort;
    if (hung) {
      effort = {.evaluations = options_.hung_candidates, .triggers = 0, .trigger_attempts = 0};
      if (effort.evaluations == 0) return keep_original(i, "each candidate takes the deadline");
    }
    const Bench bench{
        .judge =
            [&](const Json& stored) {
              return row_of(only_outcome(
                  zygote_, evaluate_task(stored, alarm.file, alarm.flags, false, false),
                  options_.limits));
            },
        .inlined =
            [&](const Json& stored) {
              const Outcome outcome = only_outcome(
                  zygote_, inline_task(stored, alarm.file, alarm.flags), options_.limits);
              return outcome.answered() ? outcome.answer["case"] : stored;
            }};
    results_[i].minimised = minimised(alarm.stored, bench, effort);
    if (!is_failure(results_[i].minimised.found.verdict)) keep_original(i, "it did not fail again");
  }

  /// Judges what came out in new workers. What is not the failure again goes back to the original.
  void confirm() {
    std::vector<Json> tasks;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < alarms_.size(); ++i) {
      if (alarms_[i].row.verdict == Verdict::hung && options_.hung_candidates == 0) continue;
      order.push_back(i);
      tasks.push_back(evaluate_task(results_[i].minimised.stored, alarms_[i].file, alarms_[i].flags,
                                    false, true));
    }
    run_isolated(zygote_, tasks, options_.jobs, options_.limits,
                 [&](std::size_t k, const Outcome& outcome) { confirmed(order[k], outcome); });
  }

  void confirmed(std::size_t i, const Outcome& outcome) {
    Minimised& minimised = results_[i].minimised;
    const auto row = row_of(outcome);
    const bool same =
        row && same_failure(failure_of(minimised.row), *row) && row->digest == minimised.row.digest;
    if (!same) return keep_original(i, "a smaller case did not fail again in a fresh process");
    minimised.row = *row;
    if (outcome.answered()) results_[i].seen = outcome.answer["seen"];
  }

  Zygote& zygote_;
  const std::vector<Alarm>& alarms_;
  const ReduceOptions& options_;
  std::vector<Reduced> results_;
  std::vector<std::size_t> one_by_one_;  // whose candidates each have a worker
};

}  // namespace

Result judged_alone(Zygote& zygote, const Json& stored, const std::string& file, const Json& flags,
                    const Limits& limits) {
  const Outcome outcome =
      only_outcome(zygote, evaluate_task(stored, file, flags, true, false), limits);
  if (auto row = row_of(outcome)) return std::move(*row);
  Result row;
  row.verdict = outcome.failure;
  row.message = outcome.reason;
  return row;
}

std::vector<Reduced> reduce(Zygote& zygote, const std::vector<Alarm>& alarms,
                            const ReduceOptions& options) {
  return Reducer(zygote, alarms, options).run();
}

}  // namespace plumb
