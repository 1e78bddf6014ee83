#pragma once

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace plumb::bench {

/// Prints as Google Benchmark does and keeps the times, so that ratios can be formed inside one
/// run.
class Collector : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override;

  /// Least time of the repetitions of the benchmark of that name, in seconds; NaN if it did not
  /// run.
  double best(const std::string& name) const;

  /// The one in the middle.
  double median(const std::string& name) const;

 private:
  std::vector<double> sorted(const std::string& name) const;

  std::map<std::string, std::vector<double>> seconds_;
};

/// Runs every registered benchmark, repetitions of different ones interleaved, so that a busy
/// moment of the machine hits all of them alike. Returns false for bad flags.
bool run_interleaved(int argc, char** argv, Collector& collector);

}  // namespace plumb::bench
