#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "harness/result.hpp"
#include "reports/console.hpp"

namespace plumb {

/// What a person sees while a run goes on, on standard error: on a terminal one line with the count
/// and the time left, after the first second; in a log such a line each minute. Where the number of
/// pieces is not known (0), only what a worker says it does.
class Progress {
 public:
  Progress(std::size_t total, bool silent);
  void finished(const Result& result);
  /// What a worker does that takes long; on a terminal alone.
  void doing(const std::string& what);
  void clear();  // wipes the terminal line

 private:
  void draw(std::string line);

  std::size_t total_;
  std::size_t done_ = 0;
  bool is_counted_;
  bool silent_;
  bool terminal_;
  double next_ = 60;  // second in which the log gets a line
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
};

/// What suits the terminal, pipe or file that standard output is.
ConsoleStyle console_style(bool quiet);

}  // namespace plumb
