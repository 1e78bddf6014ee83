#pragma once

#include <chrono>
#include <cstddef>

#include "harness/result.hpp"
#include "reports/console.hpp"

namespace plumb {

/// What a person sees while a run goes on: on a terminal one line with the count and the time left
/// (after the first second); where standard output goes elsewhere, one line per result.
class Progress {
 public:
  Progress(std::size_t total, bool silent);
  void finished(const Result& result);
  void clear();  // wipes the terminal line

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool lines_;     // one per result
  bool terminal_;  // the count and the time left
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
};

/// What suits the terminal, pipe or file that standard output is, after `Progress` on the same.
ConsoleStyle console_style(bool quiet);

}  // namespace plumb
