#include "fuzz/genome.hpp"

#include <gtest/gtest.h>

#include "tests/fuzz/genomes.hpp"

namespace plumb {
namespace {

TEST(Genome, OfNoBytesIsAllZeros) {
  const Genome genome = decode({});
  EXPECT_EQ(genome.op, 0u);
  EXPECT_FALSE(genome.gradient);
  EXPECT_TRUE(genome.patches.empty());
}

TEST(Genome, BeginsWithItsVersionAndKnowsOperatorsByName) {
  const std::vector<std::uint8_t> bytes = encode({.op = op_hash("aten::exp")});
  EXPECT_EQ(bytes.front(), Genome::kVersion);
  EXPECT_EQ(decode(bytes).op, op_hash("aten::exp"));
  EXPECT_EQ(op_hash(""), 2166136261u);  // published offset of FNV-1a
  EXPECT_EQ(op_hash("a"), 0xE40C292Cu);
}

TEST(Genome, HoldsNoMorePatchesThanFit) {
  std::vector<std::uint8_t> bytes(Genome::kMostBytes, 0xFF);
  EXPECT_LE(decode(bytes).patches.size(), Genome::kMostPatches);
  EXPECT_LE(decode(bytes).attributes.size(), Genome::kMostAttributes);
}

RC_GTEST_PROP(GenomeProperty, ComesBackFromItsBytes, (const Genome& genome)) {
  const auto bytes = encode(genome);
  RC_ASSERT(bytes.size() <= Genome::kMostBytes);
  RC_ASSERT(decode(bytes) == genome);
}

RC_GTEST_PROP(GenomeProperty, AnyBytesAreOne, (const std::vector<std::uint8_t>& bytes)) {
  const Genome genome = decode(bytes);
  RC_ASSERT(decode(encode(genome)) == genome);
}

RC_GTEST_PROP(GenomeProperty, BytesToSpareMeanNothing,
              (const Genome& genome, const std::vector<std::uint8_t>& more)) {
  auto bytes = encode(genome);
  bytes.insert(bytes.end(), more.begin(), more.end());
  RC_ASSERT(decode(bytes) == genome);
}

}  // namespace
}  // namespace plumb
