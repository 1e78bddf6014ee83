#include "fuzz/genome_case.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "fuzz/gene_values.hpp"
#include "fuzz/mutate.hpp"
#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "sweep/layouts.hpp"
#include "tests/fuzz/genomes.hpp"

namespace plumb {
namespace {

std::vector<std::string> dtypes() { return {"float32", "bfloat16", "float16"}; }

Domain& some_operators() {
  static Domain domain({"aten::exp", "aten::softmax.int", "aten::linear", "aten::cat",
                        "aten::layer_norm", "aten::binary_cross_entropy"},
                       dtypes());
  return domain;
}

/// Numbers of a value program by its name.
std::uint8_t values(const std::string& name) {
  for (std::size_t i = 0; i < gene_values().size(); ++i) {
    if (gene_values()[i].name == name) return static_cast<std::uint8_t>(i);
  }
  throw std::out_of_range(name);
}

std::uint8_t length(std::int64_t n) {
  const auto& all = gene_lengths();
  return static_cast<std::uint8_t>(std::find(all.begin(), all.end(), n) - all.begin());
}

RC_GTEST_PROP(GenomeCaseProperty, IsOneThatPlumbReads, (const Genome& genome)) {
  const Json json = case_of(genome, some_operators());
  try {
    case_from_json(json, "fuzz");
  } catch (const InputError& error) {  // attributes and sizes that do not go together, in its words
    RC_ASSERT(std::string(error.what()).starts_with("fuzz"));
  }
}

RC_GTEST_PROP(GenomeCaseProperty, IsTheSameForTheSameBytes, (const Genome& genome)) {
  Domain again(some_operators().ops(), dtypes());
  RC_ASSERT(case_of(genome, some_operators()) == case_of(decode(encode(genome)), again));
}

TEST(GenomeCase, RunsToTheSameIdAndDigest) {
  Random random(7);
  const Choices choices{.ops = {op_hash("aten::softmax.int")}, .dtypes = 3};
  for (int i = 0; i < 20; ++i) {
    const Json json = case_of(sample(choices, random), some_operators());
    const Result one = run_case(case_from_json(json, "fuzz"));
    const Result other = run_case(case_from_json(Json::parse(json.dump()), "fuzz"));
    EXPECT_EQ(one.id, other.id);
    EXPECT_EQ(one.digest, other.digest);
  }
}

TEST(GenomeCase, PatchesSetElementsBitForBitAndLeaveTheOthers) {
  Genome genome{.op = op_hash("aten::exp"), .length = length(8), .seed = 5};
  const Json before = case_of(genome, some_operators());
  genome.patches = {{.tensor = 0, .element = 3, .bits = 0x42B17218},  // 88.72284
                    {.tensor = 0, .element = 6, .bits = 0x7FC00000}};
  const Json after = case_of(genome, some_operators());
  const at::Tensor drawn = case_from_json(before, "fuzz").subject.inputs["self"].flatten();
  const at::Tensor patched = case_from_json(after, "fuzz").subject.inputs["self"].flatten();
  ASSERT_EQ(patched.numel(), 8);
  for (const std::int64_t i : {0, 1, 2, 4, 5, 7}) {
    EXPECT_EQ(patched[i].item<float>(), drawn[i].item<float>()) << i;
  }
  EXPECT_EQ(patched[3].item<float>(), std::bit_cast<float>(0x42B17218u));
  EXPECT_TRUE(std::isnan(patched[6].item<float>()));
}

TEST(GenomeCase, LaysTensorsOutAsTheGeneSays) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < layouts().size(); ++i) {
    Genome genome{.op = op_hash("aten::softmax.int"), .length = length(8)};
    genome.tensors[0].layout = static_cast<std::uint8_t>(i);
    const Json self = case_of(genome, some_operators())["args"]["self"];
    seen.insert(self.value("strides", Json()).dump() + self.value("offset", Json()).dump() +
                self.value("view", Json()).dump());
  }
  EXPECT_GE(seen.size(), layouts().size() - 1);  // of one dimension, transposed is as it was
}

TEST(GenomeCase, KeepsToTheDomainOfAnArgument) {
  Random random(3);
  const Choices choices{.ops = {op_hash("aten::binary_cross_entropy")}, .dtypes = 3};
  for (int i = 0; i < 100; ++i) {
    Genome genome = sample(choices, random);
    genome.patches = {{.tensor = 0, .element = 0, .bits = 0x7F800000}};
    genome.attributes.clear();
    const Case stored = case_from_json(case_of(genome, some_operators()), "fuzz");
    const at::Tensor p = stored.subject.inputs["self"].to(at::kDouble);
    if (p.numel() == 0) continue;
    EXPECT_GE(p.min().item<double>(), 0);
    EXPECT_LE(p.max().item<double>(), 1);
  }
}

TEST(GenomeCase, TiesAreTies) {
  Genome genome{.op = op_hash("aten::exp"), .length = length(64)};
  genome.tensors[0] = {.layout = 0, .values = values("tied"), .a = 128, .b = 128};
  const Case stored = case_from_json(case_of(genome, some_operators()), "fuzz");
  const at::Tensor x = stored.subject.inputs["self"].flatten();
  EXPECT_GT(x.eq(x.max()).sum().item<int>(), 10);
}

TEST(GenomeCase, IsNullWhereNoOperatorRuns) {
  Domain none({"aten::no_such_operator"}, dtypes());
  EXPECT_TRUE(case_of({}, none).is_null());
}

}  // namespace
}  // namespace plumb
