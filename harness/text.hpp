#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The shortest decimal that reads back as the same double; "nan", "inf", "-inf".
std::string shortest(double value);

/// Three significant digits or the whole part, as short as reads well: "0.31", "31234", "9.8e-4",
/// "NaN", "-inf".
std::string number(double value);

/// "4GiB", "1.5KiB": the size as --memory takes it, in the largest unit that keeps it whole.
std::string size_text(std::uint64_t bytes);

/// Quoted for a POSIX shell only where it must be.
std::string shell_quoted(std::string_view word);

std::string joined(const std::vector<std::string>& words, std::string_view separator);

std::vector<std::string> split(std::string_view text, char separator);

/// "1 thread", "2 threads".
std::string plural(std::integral auto count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Shell-style pattern with * and ?.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace plumb
