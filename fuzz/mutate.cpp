#include "fuzz/mutate.hpp"

#include <array>

#include "fuzz/gene_values.hpp"
#include "fuzz/genome_case.hpp"
#include "sweep/layouts.hpp"

namespace plumb {
namespace {

std::uint8_t number_below(std::size_t count, Random& random) {
  return static_cast<std::uint8_t>(random.below(count));
}

/// Four in five lengths are below 34: what is slow to run is seldom worth more.
std::uint8_t length(Random& random) {
  constexpr std::size_t kSmall = 34;
  return number_below(random.chance(80) ? kSmall : gene_lengths().size(), random);
}

/// Ordinary (1) as often as anything.
std::uint8_t parameter(Random& random) { return random.chance(25) ? 128 : random.byte(); }

TensorGene tensor(Random& random) {
  return {.layout = random.chance(70) ? std::uint8_t{0} : number_below(layouts().size(), random),
          .values = number_below(gene_values().size(), random),
          .a = parameter(random),
          .b = parameter(random)};
}

AttributeGene attribute(Random& random) { return {random.byte(), random.byte()}; }

/// Bits of numbers that formats share the place of: signs, exponents and simple mantissas of f16,
/// bf16 and f32 in the lower bytes, of f64 in the upper.
std::uint64_t bits(Random& random) {
  static constexpr std::array<std::uint16_t, 16> kTelling = {
      0x0000, 0x8000, 0x0001, 0x8001, 0x0400, 0x0080, 0x3c00, 0x3f80,
      0xbf80, 0x7bff, 0x7f7f, 0xff7f, 0x7c00, 0x7f80, 0xff80, 0x42b1};
  if (random.chance(50)) return random.next();
  const std::uint64_t high = kTelling[random.below(kTelling.size())];
  // As the upper half of an f32 with an empty lower one, as a half type, and on top of an f64.
  return random.chance(50) ? high << 16 | high << 48 : high | high << 48;
}

PatchGene patch(Random& random) {
  return {.tensor = number_below(Genome::kTensors, random),
          .element = static_cast<std::uint16_t>(random.below(random.chance(50) ? 4 : 65536)),
          .bits = bits(random)};
}

std::uint8_t stepped(std::uint8_t value, Random& random) {
  static constexpr int kSteps[] = {-16, -8, -1, 1, 8, 16};
  return static_cast<std::uint8_t>(value + kSteps[random.below(std::size(kSteps))]);
}

void change_tensor(TensorGene& gene, Random& random) {
  switch (random.below(6)) {
    case 0: gene.layout = number_below(layouts().size(), random); break;
    case 1: gene.values = number_below(gene_values().size(), random); break;
    case 2: gene.a = stepped(gene.a, random); break;
    case 3: gene.b = stepped(gene.b, random); break;
    case 4: gene.a = random.byte(); break;
    default: gene.b = random.byte(); break;
  }
}

/// A unit in the last place, a mantissa bit, an exponent, a sign, another number.
std::uint64_t changed_bits(std::uint64_t old, Random& random) {
  // Where sign and exponent lie depends on the format, which is chosen elsewhere: any of the three.
  static constexpr int kTops[] = {16, 32, 64};
  const int top = kTops[random.below(std::size(kTops))];
  switch (random.below(5)) {
    case 0: return old + (random.chance(50) ? 1 : ~std::uint64_t{0});
    case 1: return old ^ (std::uint64_t{1} << random.below(static_cast<std::uint64_t>(top)));
    case 2: return old ^ (std::uint64_t{1} << (top - 1));
    case 3: return old + (std::uint64_t{1} << (top - 2 - static_cast<int>(random.below(8))));
    default: return bits(random);
  }
}

void change_patches(std::vector<PatchGene>& patches, Random& random) {
  const bool is_full = patches.size() == Genome::kMostPatches;
  if (patches.empty() || (!is_full && random.chance(30))) {
    patches.push_back(patch(random));
    return;
  }
  const std::size_t chosen = random.below(patches.size());
  switch (random.below(5)) {
    case 0: patches.erase(patches.begin() + static_cast<std::ptrdiff_t>(chosen)); break;
    case 1: patches[chosen].element = static_cast<std::uint16_t>(random.below(64)); break;
    case 2:  // the same number at another place: ties, pairs
      if (is_full) break;
      patches.push_back(patches[chosen]);
      patches.back().element = static_cast<std::uint16_t>(random.below(64));
      break;
    default: patches[chosen].bits = changed_bits(patches[chosen].bits, random); break;
  }
}

void change_attributes(std::vector<AttributeGene>& attributes, Random& random) {
  if (!attributes.empty() && random.chance(40)) {
    attributes.pop_back();
  } else if (attributes.size() < Genome::kMostAttributes) {
    attributes.push_back(attribute(random));
  } else {
    attributes[random.below(attributes.size())] = attribute(random);
  }
}

void change_sizes(Genome& genome, Random& random) {
  switch (random.below(5)) {
    case 0: genome.length = length(random); break;
    case 1: ++genome.length; break;
    case 2: --genome.length; break;
    case 3: genome.batch = number_below(5, random); break;
    default: genome.rows = number_below(kGeneRows, random); break;
  }
}

void change(Genome& genome, const Choices& choices, Random& random) {
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3: change_tensor(genome.tensors[random.below(2)], random); break;
    case 4: change_tensor(genome.tensors[random.below(Genome::kTensors)], random); break;
    case 5:
    case 6: change_patches(genome.patches, random); break;
    case 7: change_sizes(genome, random); break;
    case 8: genome.seed = static_cast<std::uint32_t>(random.next()); break;
    case 9: genome.plan = random.byte(); break;
    case 10: change_attributes(genome.attributes, random); break;
    default:
      if (choices.may_go_backward && random.chance(50)) genome.gradient = !genome.gradient;
      genome.dtype = number_below(choices.dtypes, random);
      break;
  }
}

}  // namespace

Genome sample(const Choices& choices, Random& random) {
  Genome genome{.op = choices.ops[random.below(choices.ops.size())],
                .plan = random.byte(),
                .dtype = number_below(choices.dtypes, random),
                .gradient = choices.may_go_backward && random.chance(30),
                .length = length(random),
                .seed = static_cast<std::uint32_t>(random.next())};
  if (random.chance(20)) genome.batch = number_below(5, random);
  if (random.chance(20)) genome.rows = number_below(kGeneRows, random);
  // In every third sample one tensor alone is out of the ordinary.
  for (TensorGene& gene : genome.tensors) gene = tensor(random);
  if (random.chance(33)) {
    const std::size_t lone = random.below(2);
    for (std::size_t i = 0; i < Genome::kTensors; ++i) {
      if (i != lone) genome.tensors[i] = {};
    }
  }
  if (random.chance(15)) genome.attributes.push_back(attribute(random));
  if (random.chance(15)) {
    const std::size_t count = 1 + random.below(4);
    for (std::size_t i = 0; i < count; ++i) genome.patches.push_back(patch(random));
  }
  return genome;
}

Genome mutated(Genome genome, const Choices& choices, Random& random) {
  const std::size_t changes = 1 + random.below(3);
  for (std::size_t i = 0; i < changes; ++i) change(genome, choices, random);
  return genome;
}

Genome crossed(const Genome& shape, const Genome& values, Random& random) {
  Genome child = shape;
  for (std::size_t i = 0; i < Genome::kTensors; ++i) {
    const std::uint8_t layout = child.tensors[i].layout;
    child.tensors[i] = values.tensors[i];
    child.tensors[i].layout = layout;
  }
  child.seed = values.seed;
  child.patches = values.patches;
  if (random.chance(50)) child.dtype = values.dtype;
  return child;
}

}  // namespace plumb
