// What judging costs on top of running: the whole of evaluate() against the variant and the oracle
// run bare, and against the judge alone; and what a worker process adds per case.

#include <chrono>
#include <cstdio>

#include <ATen/Parallel.h>

#include "bench/collector.hpp"
#include "bench/cost/workloads.hpp"
#include "harness/isolate.hpp"
#include "harness/run.hpp"

namespace plumb::bench {
namespace {

const Oracle& fp64() { return *Registry<Oracle>::instance().find("fp64"); }

/// Variant, oracle and judge, without private copies, trace, path and digest.
Judgement judge_alone(const Subject& subject) {
  const Outputs outputs = execute(subject.program, subject.inputs);
  const Truths truths = fp64().evaluate(subject.program, subject.inputs);
  const Contract contract =
      contract_for(outputs[0].tensor.scalar_type(), subject.program.traits, subject.inputs, 0);
  std::optional<Conditioning> conditioning;
  const at::Tensor& first = subject.inputs.begin()->value.toTensor();
  return judge(outputs[0], truths[0], contract,
               {.conditioning =
                    [&] {
                      if (!conditioning) {
                        conditioning.emplace(fp64(), subject.program, subject.inputs, truths, 0);
                      }
                      return &*conditioning;
                    },
                .first_input = &first});
}

void add(const std::string& name, const std::function<void()>& work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work](benchmark::State& state) {
                                 for (auto _ : state) work();
                               })
      ->Unit(benchmark::kMicrosecond)
      ->Repetitions(9)
      ->MinTime(0.02);
}

void add_all(const Workload& workload) {
  const Subject& s = workload.subject;
  const Inputs wide = cast(s.inputs, at::kDouble);
  const Settings settings{.oracle = "fp64"};
  add(workload.name + ": variant", [&s] { execute(s.program, s.inputs); });
  add(workload.name + ": oracle", [&s, wide] { execute(s.program, wide, at::kDouble); });
  add(workload.name + ": oracle, casts included", [&s] { fp64().evaluate(s.program, s.inputs); });
  add(workload.name + ": judge", [&s] { judge_alone(s); });
  add(workload.name + ": evaluate", [&s, settings] { evaluate(s, settings); });
}

void print(const Collector& times, const Workload& workload) {
  const auto best = [&](const char* part) { return times.best(workload.name + ": " + part) * 1e6; };
  const double variant = best("variant"), oracle = best("oracle");
  const double casts = best("oracle, casts included");
  const double judged = best("judge"), whole = best("evaluate");
  const Judgement judgement = judge_alone(workload.subject);
  std::string verdict(to_string(judgement.verdict));
  if (judgement.lost_bits) verdict += ", lost bits " + std::to_string(*judgement.lost_bits);
  std::printf("%-29s %8.0f %8.0f %8.0f | %8.0f %6.2f | %8.0f %6.2f %6.1f | %s%s, r %.3g\n",
              workload.name.c_str(), variant, oracle, casts, judged, judged / (variant + oracle),
              whole, whole / (variant + oracle), (whole - variant) / casts, verdict.c_str(),
              judgement.probed ? ", probed" : "", judgement.distances.r);
}

void print_all(const Collector& times, const std::vector<Workload>& all) {
  std::printf(
      "\nMicroseconds, least of the repetitions, one thread. 'casts': the oracle with inputs"
      " copied and widened.\n'judge': variant, oracle, comparison, probes where needed,"
      " vacuity check. 'evaluate': the same with private\ncopies, operator trace, path,"
      " digest and result row. 'runs': (evaluate - variant) in oracle runs, casts included.\n\n"
      "%-29s %8s %8s %8s | %8s %6s | %8s %6s %6s |\n",
      "", "variant", "oracle", "casts", "judge", "ratio", "evaluate", "ratio", "runs");
  for (const Workload& workload : all) print(times, workload);
}

/// What a request costs beyond its work: a worker that returns at once.
void print_isolation(Zygote& zygote) {
  constexpr std::size_t kRequests = 500;
  const std::vector<Json> requests(kRequests, Json{{"task", "none"}});
  double best = INFINITY;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run_isolated(zygote, requests, 1, {}, [](std::size_t, const Outcome&) {});
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    best = std::min(best, wall.count() / kRequests);
  }
  std::printf(
      "\nisolation: %.1f us per case (%zu trivial requests, start of the worker included)\n",
      best * 1e6, kRequests);
}

int run(int argc, char** argv) {
  Zygote zygote(
      [](const Json& request, const auto&) { return request; });  // before any parallel region
  at::set_num_threads(1);
  const std::vector<Workload> all = workloads();
  for (const Workload& workload : all) add_all(workload);
  Collector times;
  if (!run_interleaved(argc, argv, times)) return 2;
  print_all(times, all);
  print_isolation(zygote);
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) { return plumb::bench::run(argc, argv); }
