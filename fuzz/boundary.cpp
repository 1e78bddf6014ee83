#include "fuzz/boundary.hpp"

#include <algorithm>
#include <array>

#include "fuzz/genome_case.hpp"
#include "harness/trace.hpp"
#include "sweep/layouts.hpp"

namespace plumb {
namespace {

/// Parts of the names of kernels that do the work of several.
constexpr std::array<std::string_view, 6> kFused = {
    "flash_attention", "efficient_attention", "cudnn", "mkldnn", "onednn", "fbgemm"};

bool is_fused(const std::string& name) {
  return std::any_of(kFused.begin(), kFused.end(),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

std::uint8_t ordinary_length() {
  const auto& all = gene_lengths();
  return static_cast<std::uint8_t>(std::find(all.begin(), all.end(), 8) - all.begin());
}

Genome ordinary(std::uint32_t op, std::uint8_t dtype) {
  return {.op = op, .dtype = dtype, .length = ordinary_length()};
}

/// What may be out of the ordinary.
struct Aspect {
  std::string name;
  std::function<void(Genome&)> reset;
};

/// Arguments of a plan that the first plan has otherwise or not at all.
std::string difference(const Plan& plan, const Plan& first) {
  std::string names;
  for (const PlannedArgument& argument : plan.arguments) {
    const bool same = std::any_of(
        first.arguments.begin(), first.arguments.end(), [&](const PlannedArgument& other) {
          return other.name == argument.name && other.value == argument.value &&
                 other.shapes == argument.shapes && other.kind == argument.kind;
        });
    if (!same) names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names.empty() ? "another setting" : "setting of " + names;
}

std::vector<Aspect> aspects_of(const Genome& genome, const SearchedOperator& op) {
  const Plan& plan = op.plans[genome.plan % op.plans.size()];
  std::vector<Aspect> aspects = {
      {"values",
       [](Genome& g) {
         g.patches.clear();
         for (TensorGene& gene : g.tensors) gene = {.layout = gene.layout};
       }},
      {"gradient", [](Genome& g) { g.gradient = false; }},
      {"batch", [](Genome& g) { g.batch = 0; }},
      {"rows", [](Genome& g) { g.rows = 0; }},
      {"length", [](Genome& g) { g.length = ordinary_length(); }},
      {difference(plan, op.plans.front()), [](Genome& g) { g.plan = 0; }},
  };
  for (std::size_t i = 0; i < genome.attributes.size(); ++i) {
    const AttributeGene gene = genome.attributes[i];
    if (op.attributes.empty()) break;
    aspects.push_back({op.attributes[gene.which % op.attributes.size()].name(),
                       [gene](Genome& g) { std::erase(g.attributes, gene); }});
  }
  const std::vector<std::string> floating = plan.floating();
  for (std::size_t i = 0; i < std::min(floating.size(), Genome::kTensors); ++i) {
    aspects.push_back(
        {layouts()[genome.tensors[i].layout % layouts().size()].name + " " + floating[i],
         [i](Genome& g) { g.tensors[i].layout = 0; }});
  }
  return aspects;
}

}  // namespace

std::vector<std::string> Boundary::path_of(const Subject& subject) {
  const Inputs inputs = private_copy(subject.inputs);
  const Trace trace;
  execute(subject.program, inputs);
  return trace.path();
}

const std::vector<std::string>& Boundary::intended(const Genome& genome) {
  const SearchedOperator& op = *domain_.find(genome.op);
  const Plan& first = op.plans.front();
  const std::string key = op.name + " " + domain_.dtype(genome, first);
  const auto [place, is_new] = intended_.try_emplace(key);
  if (!is_new) return place->second;
  try {
    const Json plain = case_of(ordinary(genome.op, genome.dtype), domain_);
    for (const std::string& name : path_of(subject_of(plain, op))) {
      if (is_fused(name)) place->second.push_back(name);
    }
  } catch (const std::exception&) {  // not in this type
  }
  return place->second;
}

bool Boundary::leaves(const Genome& genome) {
  const std::vector<std::string>& wanted = intended(genome);
  std::string ignored;
  try {
    const Json stored = case_of(genome, domain_);
    const auto path = path_of(subject_of(stored, *domain_.find(genome.op)));
    return !wanted.empty() && !path_matches(path, wanted, ignored);
  } catch (const std::exception&) {
    return false;
  }
}

Boundary::Crossing Boundary::nearest(const Genome& genome) {
  Crossing crossing{genome, {}};
  for (const Aspect& aspect : aspects_of(genome, *domain_.find(genome.op))) {
    Genome without = crossing.genome;
    aspect.reset(without);
    if (without == crossing.genome) continue;
    if (leaves(without)) {
      crossing.genome = without;
    } else {
      crossing.conditions.push_back(aspect.name);
    }
  }
  return crossing;
}

}  // namespace plumb
