#include "bench/collector.hpp"

#include <cmath>

namespace plumb::bench {

void Collector::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
    const double seconds =
        run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
    const auto [place, is_new] = best_.try_emplace(run.run_name.function_name, seconds);
    if (!is_new) place->second = std::min(place->second, seconds);
  }
}

double Collector::best(const std::string& name) const {
  const auto place = best_.find(name);
  return place == best_.end() ? NAN : place->second;
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
