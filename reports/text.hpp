#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// The text as valid UTF-8 without control characters but newline and tab; others as "\x1b".
std::string printable(std::string_view text);

/// The same on one line: runs of white space become one space.
std::string one_line(std::string_view text);

}  // namespace plumb
