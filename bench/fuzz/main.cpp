// How many executions of a search fit into a second of CPU, for a cheap operator with its oracle on
// at most 32 numbers, and what each stage of one takes. In this process, without an engine.

#include <cstdio>

#include <ATen/Parallel.h>

#include "fuzz/genome_case.hpp"
#include "fuzz/hunter.hpp"
#include "fuzz/mutate.hpp"
#include "harness/errors.hpp"
#include "harness/process_clock.hpp"
#include "harness/relation.hpp"
#include "harness/task.hpp"

namespace plumb::bench {
namespace {

/// One operator, forward in f32, without patched elements or attributes, as most of a search is.
std::vector<Genome> genomes_of(const std::string& op, std::size_t count) {
  const Choices choices{.ops = {op_hash(op)}, .dtypes = 1, .may_go_backward = false};
  Random random(1);
  std::vector<Genome> genomes;
  for (std::size_t i = 0; i < count; ++i) {
    Genome genome = sample(choices, random);
    genome.length %= 33;
    genomes.push_back(std::move(genome));
  }
  return genomes;
}

/// Microseconds of CPU for one of them.
template <typename Work>
double microseconds(const std::vector<Genome>& genomes, const Work& work) {
  const double start = cpu_seconds();
  for (const Genome& genome : genomes) {
    try {
      work(genome);
    } catch (const InputError&) {
    }
  }
  return (cpu_seconds() - start) * 1e6 / static_cast<double>(genomes.size());
}

void measure(const std::string& op) {
  Domain domain({op}, {"float32"});
  const std::vector<Genome> genomes = genomes_of(op, 20000);
  std::vector<std::uint8_t> cells(Features::kCells);
  Features features(cells);
  Options options;
  options.relations = relations_from("none");
  Hunter hunter(domain, goal_or_usage_error("nonfinite"), features, common_fields(options),
                [](const Catch&) {});
  const auto execute = [&](const Genome& genome) { hunter.execute(encode(genome)); };
  microseconds(genomes, execute);  // planning, first features, warm caches
  const double json = microseconds(genomes, [&](const Genome& g) { case_of(g, domain); });
  const double subject = microseconds(
      genomes, [&](const Genome& g) { subject_of(case_of(g, domain), *domain.find(g.op)); });
  const double glanced = microseconds(genomes, [&](const Genome& g) {
    glance(subject_of(case_of(g, domain), *domain.find(g.op)), g.seed);
  });
  const std::uint64_t asked = hunter.tally().judged;
  const double all = microseconds(genomes, execute);
  const double share =
      static_cast<double>(hunter.tally().judged - asked) / static_cast<double>(genomes.size());
  std::printf("%-24s %10.0f %8.1f %8.1f %8.1f %8.1f %8.1f %8.2f%%\n", op.c_str(), 1e6 / all, all,
              json, subject - json, glanced - subject, all - glanced, 100 * share);
}

}  // namespace
}  // namespace plumb::bench

int main() {
  at::set_num_threads(1);
  std::printf("f32 forward, n up to 32; microseconds of CPU for one execution\n\n");
  std::printf("%-24s %10s %8s %8s %8s %8s %8s %8s\n", "operator", "per second", "all", "case",
              "tensors", "judge", "rest", "in full");
  for (const char* op : {"aten::exp", "aten::softmax.int", "aten::sum", "aten::sigmoid",
                         "aten::add.Tensor", "aten::amax"}) {
    plumb::bench::measure(op);
  }
  return 0;
}
