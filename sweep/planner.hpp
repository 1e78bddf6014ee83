#pragma once

#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "sweep/plan.hpp"

namespace plumb {

/// The plans of an operator, of which each runs: those of its rows in the table of shapes; where
/// none fits this overload, the first guess from the schema alone, and that in two dimensions where
/// it was one and two run as well; then what its rows with "*" make of the first row or the last
/// guess. Runs the operator, so call it in a worker. Empty, with the reason, where nothing runs.
std::vector<Plan> plans_for(const c10::OperatorHandle& op, std::string& why_not);

}  // namespace plumb
