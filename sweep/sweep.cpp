#include "sweep/sweep.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "findings/finding.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "harness/text.hpp"
#include "harness/variant.hpp"
#include "sweep/targets.hpp"

namespace plumb {
namespace {

const Register<TaskKind> registered{{.name = "sweep", .serve = serve_sweep}};

constexpr int kLives = 20;  // cases of one unit that may kill a worker

/// A row of the sweep from the row of a case.
Result labelled(Result row, const Json& unit, const std::string& part) {
  row.name = short_name(unit["op"]);
  row.arm = unit["gradient"].get<bool>() ? "gradient" : "forward";
  row.seed = unit["seed"];
  row.id = result_id(row, unit["dtype"].get<std::string>() + part + unit["seed"].dump());
  return row;
}

Result blank_row(const Json& unit) {
  Result row;
  row.op = unit["op"];
  row.dtype = unit["dtype"];
  row.variant = unit["variant"];
  row.device = unit["device"];
  return row;
}

/// Turns what units answered, and what killed their workers, into rows and findings.
class Collector {
 public:
  explicit Collector(const std::function<void(const Result&)>& each) : each_(each) {}

  void answered(const Json& unit, const Json& answer) {
    const Json& alarms = answer["alarms"];
    for (const Json& alarm : alarms) add_alarm(unit, alarm["row"], alarm["case"], answer);
    if (answer["judged"] == 0 && !unit["gradient"].get<bool>()) return unjudged(unit, answer);
    if (!alarms.empty() || answer["row"].is_null()) return;
    Result row = labelled(result_from_json(answer["row"], "worker"), unit, "");
    row.replay = "plumb sweep " + shell_quoted(unit["op"].get<std::string>()) + " --dtype " +
                 unit["dtype"].get<std::string>() + " --cases " + unit["cases"].dump() +
                 " --seed " + unit["seed"].dump() +
                 (row.variant == "eager" ? "" : " --variant " + row.variant) +
                 (row.device == "cpu" ? "" : " --device " + row.device) + replay_flags(unit);
    const std::string why = answer["why"];
    row.message = counts(answer) + (why.empty() ? "" : ", the first: " + why) +
                  (row.message.empty() ? "" : "; " + row.message);
    add(unit, std::move(row));
  }

  void killed(const Json& unit, const Outcome& outcome) {
    Result row = blank_row(unit);
    row.verdict = outcome.failure;
    row.message = outcome.reason;
    row.ok = false;
    row.where = "case " + outcome.label["index"].dump();
    if (outcome.label.contains("case")) {
      add_alarm(unit, to_json(row), outcome.label["case"], Json());
    } else {
      add(unit, labelled(row, unit, "plan"));
    }
  }

  /// Files the alarms, in the order of the units, whichever ended first.
  void file(Zygote& zygote, const ReduceOptions& options, const std::string& out) {
    std::stable_sort(alarms_.begin(), alarms_.end(), [](const Found& a, const Found& b) {
      return a.unit["order"] < b.unit["order"];
    });
    std::vector<Alarm> alarms;
    for (const Found& found : alarms_) alarms.push_back(found.alarm);
    const std::vector<Finding> findings = file_findings(zygote, alarms, options, out);
    std::set<std::pair<std::size_t, std::string>> filed;  // a unit has one row for each finding
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const Found& found = alarms_[i];
      if (!filed.emplace(found.unit["order"], findings[i].fingerprint).second) continue;
      Result row = labelled(findings[i].row, found.unit, found.part);
      row.message = findings[i].call + ": " + row.message + found.counts;
      add(found.unit, std::move(row));
    }
  }

  /// In the order of the units, whichever ended first.
  std::vector<Result> rows() && {
    std::vector<Result> all;
    for (auto& [order, rows] : rows_) {
      for (Result& row : rows) all.push_back(std::move(row));
    }
    return all;
  }

 private:
  void unjudged(const Json& unit, const Json& answer) {
    Result row = blank_row(unit);
    row.verdict = answer["skipped"] ? Verdict::skipped : Verdict::unsupported;
    row.message = answer["why"];
    add(unit, labelled(row, unit, "unjudged"));
  }

  static std::string counts(const Json& answer) {
    std::string text = answer["judged"].dump() + " cases";
    for (const auto& [verdict, count] : answer["verdicts"].items()) {
      text += ", " + count.dump() + " " + verdict;
    }
    if (answer["left_out"] != 0) text += "; " + answer["left_out"].dump() + " more not judged";
    return text;
  }

  void add_alarm(const Json& unit, const Json& found, const Json& stored, const Json& answer) {
    Alarm alarm{.stored = stored,
                .file = "sweep",
                .row = result_from_json(found, "worker"),
                .flags = flags_beside_case(unit)};
    if (unit["oracle"] != "auto") alarm.stored["oracle"] = unit["oracle"];
    const std::string part = found["verdict"].get<std::string>() + found["where"].dump() +
                             found["path_hash"].dump() + found["message"].dump();
    alarm.row.id = labelled(alarm.row, unit, part).id;
    alarms_.push_back({.unit = unit,
                       .alarm = std::move(alarm),
                       .part = part,
                       .counts = answer.is_null() ? "" : " (" + counts(answer) + ")"});
  }

  void add(const Json& unit, Result row) {
    std::vector<Result>& rows = rows_[unit["order"].get<std::size_t>()];
    rows.push_back(std::move(row));
    each_(rows.back());
  }

  struct Found {
    Json unit;
    Alarm alarm;
    std::string part;    // what tells its id from those of the unit's other rows
    std::string counts;  // of the unit's verdicts
  };

  const std::function<void(const Result&)>& each_;
  std::vector<Found> alarms_;
  std::map<std::size_t, std::vector<Result>> rows_;
};

bool is_compiled_together(const Json& unit) {
  const Variant& variant = variant_or_usage_error(unit["variant"]);
  return unit["together"].get<bool>() && variant.prepare_many;
}

/// What a sweep spends on an alarm. A candidate of a case that hangs takes the whole deadline.
ReduceOptions filing(int jobs, const Limits& limits, int evaluations) {
  return {.jobs = jobs,
          .limits = limits,
          .effort = {.evaluations = evaluations, .triggers = 1, .trigger_attempts = 40},
          .confirm = 1,
          .hung_candidates = 0};
}

}  // namespace

std::vector<Json> sweep_units(const std::vector<std::string>& patterns,
                              const std::vector<std::string>& dtypes, int cases,
                              const Options& options) {
  for (const std::string& pattern : patterns) {
    if (targets({pattern}).empty()) refuse_unmatched(pattern);
  }
  std::vector<Json> units;
  std::vector<std::string> names;
  const auto variants = variants_of(options);
  const auto devices = options.devices.empty() ? std::vector<std::string>{"cpu"} : options.devices;
  for (const Target& target : targets(patterns)) {
    if (target.why_not) continue;
    names.push_back(target.name);
    for (const std::string& variant : variants) {
      for (const std::string& device : devices) {
        const Json units_of = {{"variant", variant}, {"device", device}};
        for (const std::string& dtype : dtypes) {
          for (const bool gradient : {false, true}) {
            units.push_back(sweep_unit(target, dtype, gradient, cases, options));
            units.back().update(units_of);
          }
        }
      }
    }
  }
  if (units.empty()) {
    throw UsageError("nothing is selected: no operator that inputs can be made for is called " +
                     joined(patterns, " or "));
  }
  check_selects(rules_of(options.references), names);
  return units;
}

std::vector<Result> run_sweep(Zygote& zygote, std::vector<Json> units, const Options& options,
                              int evaluations, const std::string& out,
                              const std::function<void(const Result&)>& each) {
  const int jobs = worker_count(options.jobs, options.threads);
  Limits limits = options.limits;
  limits.threads = options.threads;
  for (std::size_t i = 0; i < units.size(); ++i) units[i]["order"] = i;
  Collector collector(each);
  while (!units.empty()) {
    std::vector<Json> again;  // without the case that killed the worker
    run_isolated(zygote, units, jobs, limits, [&](std::size_t index, Outcome outcome) {
      Json& unit = units[index];
      if (outcome.answered()) return collector.answered(unit, outcome.answer);
      if (is_compiled_together(unit)) {  // any of them may have killed it
        unit["together"] = false;
        again.push_back(unit);
        return;
      }
      if (outcome.label.is_null()) outcome.label = {{"index", -1}};
      collector.killed(unit, outcome);
      if (outcome.label["index"] == -1 || unit["skip"].size() >= kLives) return;
      unit["skip"].push_back(outcome.label["index"]);
      again.push_back(unit);
    });
    units = std::move(again);
  }
  collector.file(zygote, filing(jobs, limits, evaluations), out);
  return std::move(collector).rows();
}

}  // namespace plumb
