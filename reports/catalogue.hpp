#pragma once

#include <string>

#include "harness/isolate.hpp"
#include "harness/result.hpp"

namespace plumb {

/// What this build has of one kind: [{name, about, available, why, …}], sorted by name; planted
/// bugs by kind. UsageError with the nearest kind for an unknown one. Operators are tried in
/// workers: that takes seconds.
Json catalogue(const std::string& kind, Zygote& zygote);

/// The same for a person: aligned columns, unavailable entries with the reason; a sentence where
/// there is nothing.
std::string catalogue_text(const std::string& kind, const Json& entries);

/// What the scenarios of these results show and where that is documented, as far as this build has
/// them: {NAME: {about, sources}}.
Json scenario_notes(const Report& report);

}  // namespace plumb
