#pragma once

#include <string>

namespace plumb {

/// "60s", "5m", "90" → seconds; UsageError, which names the flag, otherwise.
double seconds_from(const std::string& flag, const std::string& text);

}  // namespace plumb
