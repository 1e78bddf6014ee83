#pragma once

#include <numeric>

#include "harness/trial.hpp"

namespace plumb {

/// A series over steps 0, 1, 2 …
inline void plot(Trial& trial, const std::string& name, const std::vector<double>& y) {
  std::vector<double> steps(y.size());
  std::iota(steps.begin(), steps.end(), 0);
  trial.series(name, steps, y);
}

}  // namespace plumb
