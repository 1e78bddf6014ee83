#pragma once

#include <string>

#include "harness/result.hpp"

namespace plumb {

/// What this build has of one kind: [{name, about, available, why, …}], sorted by name. UsageError
/// with the nearest kind for an unknown one.
Json catalogue(const std::string& kind);

/// The same for a person: aligned columns, unavailable entries with the reason.
std::string catalogue_text(const Json& entries);

}  // namespace plumb
