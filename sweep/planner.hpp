#pragma once

#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/reference.hpp"
#include "sweep/plan.hpp"

namespace plumb {

/// What plans are made for. Names, shapes and values of its arguments are those of its reference,
/// where it has one, by another name.
struct ToPlan {
  c10::OperatorHandle op;
  const ReferenceProgram* reference = nullptr;
  std::string dtype = "float64";  // torch's name, tried where a custom operator has no float64

  /// The reference's where there is one.
  const c10::FunctionSchema& schema() const {
    return reference != nullptr ? *reference->schema : op.schema();
  }
};

/// The plans of an operator, of which each runs: those of its rows in the table of shapes; where
/// none fits this overload, the first guess from the schema alone, and that in two dimensions where
/// it was one and two run as well; then what its rows with "*" make of the first row or the last
/// guess. Runs the operator, so call it in a worker. Empty, with the reason, where nothing runs.
std::vector<Plan> plans_for(const ToPlan& planned, std::string& why_not);

}  // namespace plumb
