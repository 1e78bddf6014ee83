#pragma once

#include <cstdio>
#include <string>

namespace plumb {

/// Four significant digits, for sentences: "0.1478", "1.5e+20", "nan".
inline std::string brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// "6.1 %"
inline std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

}  // namespace plumb
