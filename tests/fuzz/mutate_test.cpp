#include "fuzz/mutate.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/fuzz/genomes.hpp"

namespace plumb {
namespace {

Choices choices() { return {.ops = {1, 2, 3}, .dtypes = 3}; }

RC_GTEST_PROP(MutateProperty, GivesGenomesThatComeBackFromTheirBytes,
              (Genome genome, std::uint64_t seed)) {
  Random random(seed);
  for (int i = 0; i < 50; ++i) {
    genome = mutated(genome, choices(), random);
    RC_ASSERT(decode(encode(genome)) == genome);
  }
}

RC_GTEST_PROP(MutateProperty, ACrossingTakesValuesFromOneAndTheRestFromTheOther,
              (const Genome& shape, const Genome& values, std::uint64_t seed)) {
  Random random(seed);
  const Genome child = crossed(shape, values, random);
  RC_ASSERT(child.op == shape.op);
  RC_ASSERT(child.length == shape.length);
  RC_ASSERT(child.patches == values.patches);
  for (std::size_t i = 0; i < Genome::kTensors; ++i) {
    RC_ASSERT(child.tensors[i].layout == shape.tensors[i].layout);
    RC_ASSERT(child.tensors[i].values == values.tensors[i].values);
  }
}

TEST(Mutate, ReachesEveryFieldOfAGenome) {
  Random random(1);
  const Genome start;
  std::set<std::string> changed;
  for (int i = 0; i < 2000; ++i) {
    const Genome g = mutated(start, choices(), random);
    if (g.plan != start.plan) changed.insert("plan");
    if (g.dtype != start.dtype) changed.insert("dtype");
    if (g.gradient) changed.insert("gradient");
    if (g.length != start.length) changed.insert("length");
    if (g.batch != start.batch) changed.insert("batch");
    if (g.rows != start.rows) changed.insert("rows");
    if (g.seed != start.seed) changed.insert("seed");
    if (g.tensors != start.tensors) changed.insert("tensors");
    if (!g.attributes.empty()) changed.insert("attributes");
    if (!g.patches.empty()) changed.insert("patches");
  }
  EXPECT_EQ(changed.size(), 10u);
}

TEST(Mutate, NeverAsksForGradientsThatNobodyWants) {
  Random random(1);
  const Choices forward{.ops = {1}, .dtypes = 1, .may_go_backward = false};
  Genome genome;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(sample(forward, random).gradient);
    genome = mutated(genome, forward, random);
    EXPECT_FALSE(genome.gradient);
  }
}

TEST(Mutate, SamplesAreMostlySmallAndOfEveryOperator) {
  Random random(1);
  std::set<std::uint32_t> ops;
  int small = 0;
  for (int i = 0; i < 1000; ++i) {
    const Genome genome = sample(choices(), random);
    ops.insert(genome.op);
    small += genome.length < 34 ? 1 : 0;
  }
  EXPECT_EQ(ops.size(), 3u);
  EXPECT_GT(small, 750);
}

}  // namespace
}  // namespace plumb
