// What a variant adds to its kernel: a product judged in each variant against the bare call of the
// same kernel, with everything made ready.

#include <cmath>
#include <cstdio>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "bench/collector.hpp"
#include "bench/variants/bare_calls.hpp"
#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb::bench {
namespace {

/// A product x·weightᵀ in a variant.
struct Work {
  std::string name;  // "256x1024x1024 jit"
  const Variant* variant;
  Subject subject;
  std::function<at::Tensor()> bare;
};

benchmark::internal::Benchmark* add(const std::string& name,
                                    const std::function<void(benchmark::State&)>& body) {
  return benchmark::RegisterBenchmark(name.c_str(), body)
      ->Unit(benchmark::kMicrosecond)
      ->Repetitions(9)
      ->MinTime(0.02);
}

/// A run of the program in the variant once it is prepared.
std::function<void()> prepared_run(const Work& work) {
  const Subject& s = work.subject;
  if (!work.variant->prepare) {
    return [&work, &s] { work.variant->execute(s.program, s.inputs, c10::kCPU); };
  }
  const Prepared prepared = work.variant->prepare(s.program, s.inputs, c10::kCPU);
  for (int i = 0; i < 3; ++i) prepared(s.inputs);
  return [prepared, &s] { prepared(s.inputs); };
}

void add_all(const Work& work) {
  const auto plain = [](const std::function<void()>& body) {
    return [body](benchmark::State& state) {
      for (auto _ : state) body();
    };
  };
  add(work.name + ": bare", plain([&work] { work.bare(); }));
  add(work.name + ": prepared", plain(prepared_run(work)));
  const Settings settings{.variant = work.variant->name};
  // The row says what running took, and what of the rest was the oracle.
  add(work.name + ": judged", [&work, settings](benchmark::State& state) {
    for (auto _ : state) {
      state.SetIterationTime(evaluate(work.subject, settings).result.seconds);
    }
  })->UseManualTime();
}

std::vector<Work> all_work() {
  std::vector<Work> all;
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
  for (const auto& [rows, columns] : {std::pair{256, 1024}, std::pair{4, 64}}) {
    const at::Tensor x = at::randn({rows, columns}, generator);
    const at::Tensor weight = at::randn({columns, columns}, generator);
    for (auto& [name, bare] : bare_calls(x, weight)) {
      if (!bare) continue;
      all.push_back({std::to_string(rows) + "x" + std::to_string(columns) + "x" +
                         std::to_string(columns) + " " + name,
                     &variant_or_usage_error(name),
                     {operator_program(*operator_named("aten::linear")),
                      {{"input", x}, {"weight", weight}},
                      at::kFloat,
                      {}},
                     bare});
    }
  }
  return all;
}

void print(const Collector& times, const Work& work) {
  const auto median = [&](const char* part) { return times.median(work.name + ": " + part) * 1e6; };
  std::printf("%-28s %10.1f %10.2f %10.2f\n", work.name.c_str(), median("bare"),
              median("prepared") / median("bare"), median("judged") / median("bare"));
}

int run(int argc, char** argv) {
  at::set_num_threads(1);
  const at::NoGradGuard no_grad;
  const std::vector<Work> all = all_work();
  for (const Work& work : all) add_all(work);
  Collector times;
  if (!run_interleaved(argc, argv, times)) return 2;
  std::printf(
      "\nMedians, one thread. 'bare': the kernel alone, everything ready, in microseconds."
      " Ratios to it: 'prepared', a run\nof what the variant prepared; 'judged', the variant in a"
      " judged run (`seconds` of its row), which makes all\nready anew.\n\n%-28s %10s %10s %10s\n",
      "", "bare", "prepared", "judged");
  for (const Work& work : all) print(times, work);
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) { return plumb::bench::run(argc, argv); }
