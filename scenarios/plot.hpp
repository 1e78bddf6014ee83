#pragma once

#include <numeric>

#include "harness/trial.hpp"

namespace plumb {

/// A series over 0, 1, 2 …, called "QUANTITY by X" or "QUANTITY by X: LINE", which names the axes.
inline void plot(Trial& trial, const std::string& name, const std::vector<double>& y) {
  std::vector<double> steps(y.size());
  std::iota(steps.begin(), steps.end(), 0);
  trial.series(name, steps, y);
}

}  // namespace plumb
