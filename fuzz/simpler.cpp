#include "fuzz/simpler.hpp"

#include <algorithm>

#include "fuzz/genome_case.hpp"

namespace plumb {
namespace {

constexpr TensorGene kPlain{};

/// The genome with something else in one place, where that is a change.
class Steps {
 public:
  explicit Steps(const Genome& genome) : genome_(genome) {}

  template <typename Change>
  void add(const Change& change) {
    Genome other = genome_;
    change(other);
    if (other != genome_) all_.push_back(std::move(other));
  }

  std::vector<Genome> take() && { return std::move(all_); }

 private:
  const Genome& genome_;
  std::vector<Genome> all_;
};

/// Numbers of shorter lengths: the shortest but none, half as long, one less.
std::vector<std::uint8_t> shorter(std::uint8_t number) {
  const auto& lengths = gene_lengths();
  const std::int64_t length = lengths[number % lengths.size()];
  std::vector<std::uint8_t> numbers;
  for (const std::int64_t most : {std::int64_t{1}, length / 2, length - 1}) {
    std::size_t best = lengths.size();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool fits = lengths[i] <= most && lengths[i] < length;
      if (fits && (best == lengths.size() || lengths[i] > lengths[best])) best = i;
    }
    if (best < lengths.size()) numbers.push_back(static_cast<std::uint8_t>(best));
  }
  return numbers;
}

template <typename Gene>
void add_without(Steps& steps, std::vector<Gene> Genome::*genes, std::size_t count) {
  steps.add([&](Genome& g) { (g.*genes).clear(); });
  for (std::size_t i = 0; i < count; ++i) {
    steps.add([&](Genome& g) { (g.*genes).erase((g.*genes).begin() + std::ptrdiff_t(i)); });
  }
}

}  // namespace

std::vector<Genome> simpler(const Genome& genome) {
  Steps steps(genome);
  add_without(steps, &Genome::patches, genome.patches.size());
  add_without(steps, &Genome::attributes, genome.attributes.size());
  steps.add([](Genome& g) { g.gradient = false; });
  steps.add([](Genome& g) { g.plan = 0; });
  for (const std::uint8_t number : shorter(genome.length)) {
    steps.add([number](Genome& g) { g.length = number; });
  }
  steps.add([](Genome& g) { g.batch = 0; });
  steps.add([](Genome& g) { g.rows = 0; });
  for (std::size_t i = 0; i < Genome::kTensors; ++i) {
    steps.add([i](Genome& g) { g.tensors[i] = kPlain; });
    steps.add([i](Genome& g) { g.tensors[i].layout = 0; });
    steps.add([i](Genome& g) { g.tensors[i].values = 0; });
    steps.add([i](Genome& g) { g.tensors[i].a = kPlain.a; });
    steps.add([i](Genome& g) { g.tensors[i].b = kPlain.b; });
  }
  steps.add([](Genome& g) { g.seed = 0; });
  steps.add([](Genome& g) { g.dtype = 0; });
  return std::move(steps).take();
}

}  // namespace plumb
