#pragma once

#include <optional>

#include "sweep/planner.hpp"

namespace plumb {

/// A plan for the arguments of a reference as one for the operator it stands for; empty where an
/// argument that this needs has no value there.
std::optional<Plan> translated(const Plan& plan, const ToPlan& planned);

}  // namespace plumb
