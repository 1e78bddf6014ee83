#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/variants/inductor/calls.hpp"

namespace plumb::inductor {

/// Why nothing can be compiled here, in words; empty where it can.
std::optional<std::string> why_no_compiler();

/// The package of these calls: from the cache, or compiled by the Python beside torch, which takes
/// 7 s and more. The cache is $PLUMB_CACHE/inductor, by default in the build folder; the same
/// calls, constants and torch are the same entry. CannotRun with what the compiler says.
std::filesystem::path package_of(const Calls& calls);

}  // namespace plumb::inductor
