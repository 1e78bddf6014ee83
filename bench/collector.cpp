#include "bench/collector.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::bench {

void Collector::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
    const double seconds =
        run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
    seconds_[run.run_name.function_name].push_back(seconds);
  }
}

std::vector<double> Collector::sorted(const std::string& name) const {
  const auto place = seconds_.find(name);
  if (place == seconds_.end()) return {NAN};
  std::vector<double> all = place->second;
  std::sort(all.begin(), all.end());
  return all;
}

double Collector::best(const std::string& name) const { return sorted(name).front(); }

double Collector::median(const std::string& name) const {
  const std::vector<double> all = sorted(name);
  return all[all.size() / 2];
}

bool run_interleaved(int argc, char** argv, Collector& collector) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string interleaving = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, interleaving.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return false;
  benchmark::RunSpecifiedBenchmarks(&collector);
  return true;
}

}  // namespace plumb::bench
