// Samples one after another, none built on another: what any feedback must beat, and an engine for
// a build that has none.

#include <chrono>

#include "fuzz/driver.hpp"
#include "fuzz/features.hpp"
#include "harness/process_clock.hpp"

namespace plumb {
namespace {

void search(const DriverRun& run) {
  Random random(run.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&](std::uint64_t executions) {
    if (run.runs > 0 && executions >= run.runs) return true;
    return run.seconds > 0 && seconds_since(start) >= run.seconds;
  };
  for (std::uint64_t i = 0; !spent(i); ++i) run.execute(encode(sample(run.choices, random)));
}

/// Features still say what is asked of the harness.
std::uint8_t cells[Features::kCells];

const Register<Driver> registered{
    {.name = "random", .cells = [] { return std::span(cells); }, .run = search}};

}  // namespace
}  // namespace plumb
