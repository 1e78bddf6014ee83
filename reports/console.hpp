#pragma once

#include <cstddef>
#include <string>

#include "harness/result.hpp"

namespace plumb {

struct ConsoleStyle {
  bool colour = false;
  std::size_t width = 100;        // columns of the terminal; longer cells are shortened with "…"
  std::size_t most_rows = 24;     // results that are not ok are all shown, whatever their number
  bool listed = false;            // each result on a line of its own, for a pipe or a log
  std::string program = "plumb";  // how the person can call this program from where they are
};

/// One line, without line end, for a pipe or a log:
/// `not ok       unstable          NAME/ARM/OP/VARIANT/DTYPE/DEVICE#HASH  r 3.1e4  output 0 [3]`
std::string result_line(const Result& result, bool colour = false);

/// What `plumb run` prints at the end: the results worst first, what likely has one cause as one
/// line with the count and the worst of it, the counts, and the command that replays the worst one
/// as the last line. Ends with a line end.
std::string summary(const Report& report, const ConsoleStyle& style = {});

}  // namespace plumb
