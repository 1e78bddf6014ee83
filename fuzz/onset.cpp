#include "fuzz/onset.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "findings/failure.hpp"
#include "harness/errors.hpp"
#include "harness/interrupt.hpp"
#include "harness/run.hpp"
#include "harness/scenario.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

constexpr int kValues = 9;  // across the range
constexpr int kMostSteps = 40;
constexpr double kClose = 1e-3;

const Scenario& scenario_or_usage_error(const std::string& name) {
  const auto& scenarios = Registry<Scenario>::instance();
  if (const Scenario* scenario = scenarios.find(name)) return *scenario;
  throw UsageError("fuzz: --set is for a scenario, and none is called '" + name + "'" +
                   suggestion(name, scenarios.names()));
}

const Parameter& parameter_of(const OnsetPlan& plan) {
  const std::vector<Parameter>& params = scenario_or_usage_error(plan.scenario).params;
  return *std::find_if(params.begin(), params.end(),
                       [&](const Parameter& p) { return p.name == plan.parameter; });
}

/// The values between two ends that a search takes.
class Scale {
 public:
  explicit Scale(const OnsetPlan& plan)
      : low_(plan.low),
        high_(plan.high),
        whole_(parameter_of(plan).is_whole),
        by_ratio_(low_ > 0 && high_ / low_ >= 10) {}

  std::vector<double> across() const {
    std::vector<double> values;
    values.reserve(kValues);
    for (int i = 0; i < kValues; ++i) values.push_back(rounded(at(i / double(kValues - 1))));
    values.front() = low_;
    values.back() = high_;
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  double between(double a, double b) const {
    return rounded(by_ratio_ ? std::sqrt(a) * std::sqrt(b) : (a + b) / 2);
  }

  bool is_close(double a, double b) const {
    if (whole_) return b - a <= 1;
    return by_ratio_ ? b / a <= 1 + kClose : b - a <= kClose * (high_ - low_);
  }

 private:
  double at(double share) const {
    return by_ratio_ ? low_ * std::pow(high_ / low_, share) : low_ + (high_ - low_) * share;
  }
  /// Five digits tell as much as a thousandth asks for.
  double rounded(double value) const {
    if (whole_) return std::floor(value);
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", value);
    return std::strtod(text, nullptr);
  }

  double low_, high_;
  bool whole_, by_ratio_;
};

class Onset {
 public:
  Onset(Zygote& zygote, const OnsetPlan& plan, const Options& options,
        const std::function<void(const Result&)>& each)
      : zygote_(zygote), plan_(plan), options_(options), each_(each), scale_(plan) {}

  std::vector<Result> find() {
    const std::vector<double> values = scale_.across();
    run(values);
    if (interrupted() != 0) return rows({});
    const auto turns = [&](double a, double b) { return fails(a) != fails(b); };
    const auto turn = std::adjacent_find(values.begin(), values.end(), turns);
    if (turn == values.end()) return rows({});
    const auto more = std::adjacent_find(turn + 1, values.end(), turns);
    alternates_ = more != values.end();
    double low = *turn, high = *(turn + 1);
    for (int step = 0; step < kMostSteps && !scale_.is_close(low, high); ++step) {
      const double middle = scale_.between(low, high);
      if (middle <= low || middle >= high || interrupted() != 0) break;
      run({middle});
      (turns(low, middle) ? high : low) = middle;
    }
    return fails(low) ? rows({low, high}) : rows({high, low});
  }

 private:
  void run(const std::vector<double>& values) {
    std::vector<Json> tasks;
    for (const double value : values) {
      auto params = plan_.fixed;
      params.emplace_back(plan_.parameter, value);
      const auto selected = arm_tasks({plan_.scenario}, plan_.arm, params, options_);
      if (selected.size() > 1) {
        throw UsageError("fuzz: expected one --dtype, --variant and --device for a scenario, not " +
                         std::to_string(selected.size()) + " combinations");
      }
      tasks.push_back(selected.front());
    }
    const std::vector<Result> rows = run_tasks(zygote_, tasks, options_, [](const Result&) {});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].verdict == Verdict::skipped || rows[i].verdict == Verdict::unsupported) {
        throw UsageError("fuzz: " + plan_.scenario + " cannot be searched: " + rows[i].message);
      }
      tried_.emplace(values[i], rows[i]);
    }
  }

  bool fails(double value) const {
    const auto found = tried_.find(value);
    if (found == tried_.end() || !is_failure(found->second.verdict)) return false;
    const auto& wanted = plan_.goal.verdicts;
    return wanted.empty() ||
           std::find(wanted.begin(), wanted.end(), found->second.verdict) != wanted.end();
  }

  /// `ends`: the last value that fails and the next that holds, or nothing.
  std::string in_words(const std::vector<double>& ends) const {
    const auto verdict = [&](double value) {
      return std::string(to_string(tried_.at(value).verdict));
    };
    std::string text = plan_.parameter + " of " + plan_.scenario + "/" + plan_.arm + ": ";
    if (interrupted() != 0) {
      text += "stopped";
    } else if (ends.empty()) {
      text += fails(plan_.low) ? verdict(plan_.low) + " everywhere" : "nothing fails";
      text += " from " + shortest(plan_.low) + " to " + shortest(plan_.high);
    } else {
      const bool upward = ends[0] > ends[1];
      text += verdict(ends[0]) + (upward ? " from " : " up to ") + shortest(ends[0]) +
              (upward ? " on, " : ", ") + verdict(ends[1]) + " at " + shortest(ends[1]);
    }
    if (alternates_) text += "; further up it changes again, see the table";
    return text + " (" + std::to_string(tried_.size()) + " runs)";
  }

  std::vector<Result> rows(const std::vector<double>& ends) const {
    std::vector<Result> all;
    for (const double value : ends) {
      all.push_back(tried_.at(value));
      all.back().expected = {std::string(to_string(all.back().verdict))};
      all.back().ok = true;
    }
    Result summary;
    summary.name = "onset";
    summary.arm = plan_.goal.name;
    summary.op = plan_.scenario;
    summary.dtype = tried_.empty() ? "mixed" : tried_.begin()->second.dtype;
    summary.seed = options_.seed;
    summary.message = in_words(ends);
    summary.id = result_id(summary, plan_.parameter + shortest(plan_.low) + shortest(plan_.high));
    Table table{.name = "runs", .columns = {plan_.parameter, "verdict", "message"}, .rows = {}};
    for (const auto& [value, row] : tried_) {
      table.rows.push_back({value, std::string(to_string(row.verdict)), row.message});
    }
    summary.tables = {std::move(table)};
    all.push_back(std::move(summary));
    for (const Result& row : all) each_(row);
    return all;
  }

  Zygote& zygote_;
  const OnsetPlan& plan_;
  const Options& options_;
  const std::function<void(const Result&)>& each_;
  Scale scale_;
  std::map<double, Result> tried_;
  bool alternates_ = false;
};

}  // namespace

OnsetPlan onset_plan(const std::string& scenario, const std::string& arm, const Goal& goal,
                     const std::vector<std::string>& settings) {
  OnsetPlan plan{.scenario = scenario, .arm = arm, .goal = goal, .parameter = ""};
  std::vector<std::pair<std::string, double>> all;
  for (const std::string& text : settings) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
      all.push_back(parameter_from(text));
      plan.fixed.push_back(all.back());
      continue;
    }
    if (!plan.parameter.empty()) throw UsageError("--set: expected one range, not two");
    const auto low = parameter_from(text.substr(0, dots));
    const auto high = parameter_from(low.first + "=" + text.substr(dots + 2));
    plan.parameter = low.first;
    plan.low = low.second;
    plan.high = high.second;
    all.push_back(low);
  }
  check_parameters(scenario_or_usage_error(scenario), all);
  if (plan.parameter.empty()) {
    throw UsageError("--set: expected a range to search, such as lr=1e-5..1");
  }
  if (!(plan.low < plan.high) || !std::isfinite(plan.high - plan.low)) {
    throw UsageError("--set: expected " + plan.parameter + " from less to more, both finite, not " +
                     shortest(plan.low) + ".." + shortest(plan.high));
  }
  return plan;
}

std::vector<Result> find_onset(Zygote& zygote, const OnsetPlan& plan, const Options& options,
                               const std::function<void(const Result&)>& each) {
  return Onset(zygote, plan, options, each).find();
}

}  // namespace plumb
