#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/goal.hpp"
#include "harness/isolate.hpp"
#include "harness/task.hpp"

namespace plumb {

/// A parameter of a scenario and where its onset is looked for.
struct OnsetPlan {
  std::string scenario;
  std::string arm;
  Goal goal;  // what counts as failing
  std::string parameter;
  double low = 0;
  double high = 0;
  std::vector<std::pair<std::string, double>> fixed = {};  // other parameters
};

/// Of "lr=1e-5..1" and of any number of "PARAM=VALUE"; UsageError unless one of them is a range of
/// a parameter that the scenario has, from less to more.
OnsetPlan onset_plan(const std::string& scenario, const std::string& arm, const Goal& goal,
                     const std::vector<std::string>& settings);

/// Where the scenario begins to fail, or ceases to: runs at values across the range (in equal
/// ratios where it spans more than a factor of 10, whole numbers where the parameter is one),
/// then bisection between the lowest two that differ, to a thousandth. What happens between two
/// runs that agree is not seen. Rows: the outermost value that fails, the next that holds, each
/// expected, and one that says so, with a table of all runs.
std::vector<Result> find_onset(Zygote& zygote, const OnsetPlan& plan, const Options& options,
                               const std::function<void(const Result&)>& each);

}  // namespace plumb
