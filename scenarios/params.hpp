#pragma once

#include <cmath>

#include "harness/errors.hpp"
#include "harness/trial.hpp"

namespace plumb {

/// A parameter that counts something: UsageError unless it is a whole number in [1, most].
inline std::int64_t count_param(const Trial& trial, const std::string& name, double most = 1e5) {
  const double value = trial.param(name);
  if (!(value >= 1 && value <= most && value == std::floor(value))) {
    throw UsageError("parameter '" + name + "' must be a whole number from 1 to " +
                     std::to_string(std::int64_t(most)));
  }
  return std::int64_t(value);
}

}  // namespace plumb
