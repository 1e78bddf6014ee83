#include "fuzz/simpler.hpp"

#include <gtest/gtest.h>

#include "fuzz/genome_case.hpp"
#include "fuzz/mutate.hpp"

namespace plumb {
namespace {

Genome drawn(std::uint64_t seed) {
  Random random(seed);
  Genome genome = sample({.ops = {op_hash("aten::exp")}, .dtypes = 3}, random);
  for (int i = 0; i < 20; ++i)
    genome = mutated(std::move(genome), {.ops = {7}, .dtypes = 3}, random);
  return genome;
}

/// As many steps as anybody takes lead to the end.
TEST(SimplerProperty, EveryChainEnds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Genome genome = drawn(seed);
    int steps = 0;
    for (std::vector<Genome> next = simpler(genome); !next.empty(); next = simpler(genome)) {
      genome = next[random.below(next.size())];
      ASSERT_LT(++steps, 5000) << seed;
    }
    EXPECT_TRUE(genome.patches.empty());
    EXPECT_TRUE(genome.attributes.empty());
    EXPECT_FALSE(genome.gradient);
    EXPECT_EQ(genome.tensors, Genome{}.tensors);
  }
}

TEST(SimplerProperty, KeepsTheOperatorAndIsAlwaysAnother) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Genome genome = drawn(seed);
    for (const Genome& step : simpler(genome)) {
      EXPECT_EQ(step.op, genome.op);
      EXPECT_NE(step, genome);
      EXPECT_EQ(decode(encode(step)), step);
    }
  }
}

TEST(Simpler, LengthsGetShorter) {
  Genome genome;
  genome.length = 12;
  const auto& lengths = gene_lengths();
  for (const Genome& step : simpler(genome)) {
    EXPECT_LT(lengths[step.length % lengths.size()], lengths[genome.length % lengths.size()]);
  }
}

}  // namespace
}  // namespace plumb
