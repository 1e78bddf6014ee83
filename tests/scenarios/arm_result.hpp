#pragma once

#include <stdexcept>

#include <ATen/Parallel.h>

#include "harness/scenario.hpp"

namespace plumb {

using Params = std::vector<std::pair<std::string, double>>;

/// Runs an arm in this process, on the CPU, on one thread as `plumb run` does by default.
inline Result arm_result(const std::string& scenario, const std::string& arm,
                         const Params& params = {}, std::uint64_t seed = 0,
                         const std::string& variant = "eager") {
  at::set_num_threads(1);
  ArmRequest request{.scenario = scenario, .arm = arm, .settings = {}, .params = params};
  request.settings.seed = seed;
  request.settings.variant = variant;
  request.dtype = arm_of(*Registry<Scenario>::instance().find(scenario), arm).dtypes.front();
  return run_arm(request);
}

inline std::vector<double> curve(const Result& result, const std::string& name) {
  for (const Series& series : result.series) {
    if (series.name == name) return series.y;
  }
  throw std::out_of_range("the result has no series '" + name + "'");
}

inline Table table(const Result& result, const std::string& name) {
  for (const Table& table : result.tables) {
    if (table.name == name) return table;
  }
  throw std::out_of_range("the result has no table '" + name + "'");
}

/// The row whose first cell is `key`.
inline std::vector<Cell> row(const Table& table, const Cell& key) {
  for (const auto& cells : table.rows) {
    if (cells.front() == key) return cells;
  }
  throw std::out_of_range("the table '" + table.name + "' has no such row");
}

}  // namespace plumb
