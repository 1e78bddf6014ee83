// How many small cases a sweep judges in a second of CPU, workers and main process together, with
// relations and without. Cases go to isolated workers in batches, as in `plumb sweep`.

#include <cstdio>

#include "harness/process_clock.hpp"
#include "harness/relation.hpp"
#include "harness/task.hpp"
#include "sweep/unit.hpp"

namespace plumb::bench {
namespace {

/// What workers serve: the answer, and what it cost them.
Json serve_and_measure(const Json& task, const Zygote::Announce& announce) {
  const double start = cpu_seconds();
  Json answer = serve_task(task, announce);
  answer["cpu"] = cpu_seconds() - start;
  return answer;
}

/// Element-wise operators, reductions and a product, whose results the cheap bound settles on
/// nearly all inputs of a sweep.
const std::vector<std::string> kOperators = {"aten::abs",        "aten::add.Tensor", "aten::amax",
                                             "aten::exp",        "aten::maximum",    "aten::mm",
                                             "aten::mul.Tensor", "aten::neg",        "aten::relu",
                                             "aten::sigmoid",    "aten::sqrt",       "aten::tanh"};

struct Rate {
  int judged = 0;
  double cpu = 0;
};

Rate measure(Zygote& zygote, const std::string& op, const Options& options) {
  constexpr int kCases = 1000;
  const Json unit =
      sweep_unit(targets({op}).front(), "float32", /*gradient=*/false, kCases, options);
  Rate rate;
  const double start = cpu_seconds();
  run_isolated(zygote, {unit}, 1, options.limits, [&](std::size_t, const Outcome& outcome) {
    if (!outcome.answered()) return;
    rate.judged += outcome.answer["judged"].get<int>();
    rate.cpu += outcome.answer["cpu"].get<double>();
  });
  rate.cpu += cpu_seconds() - start;
  return rate;
}

void print(const char* name, const Rate& without, const Rate& with) {
  std::printf("%-18s %8d %18.0f %18.0f\n", name, without.judged, without.judged / without.cpu,
              with.judged / with.cpu);
}

void run(Zygote& zygote) {
  Options with;
  with.relations = relations_from("usual");
  std::printf("judged per CPU second, f32 forward, at most a few thousand elements\n\n");
  std::printf("%-18s %8s %18s %18s\n", "operator", "cases", "without relations", "with");
  Rate all_without;
  Rate all_with;
  for (const std::string& op : kOperators) {
    const Rate one = measure(zygote, op, {});
    const Rate other = measure(zygote, op, with);
    print(op.c_str(), one, other);
    all_without = {all_without.judged + one.judged, all_without.cpu + one.cpu};
    all_with = {all_with.judged + other.judged, all_with.cpu + other.cpu};
  }
  print("all", all_without, all_with);
}

}  // namespace
}  // namespace plumb::bench

int main() {
  plumb::Zygote zygote(plumb::bench::serve_and_measure);
  plumb::bench::run(zygote);
  return 0;
}
