#include "fuzz/hunter.hpp"

#include <gtest/gtest.h>

#include "fuzz/mutate.hpp"
#include "harness/relation.hpp"
#include "harness/task.hpp"

namespace plumb {
namespace {

/// Executes samples of some operators.
struct Hunt {
  explicit Hunt(const std::vector<std::string>& ops, const char* goal = "any",
                const std::vector<std::string>& dtypes = {"float32"})
      : domain(ops, dtypes),
        hunter(domain, goal_or_usage_error(goal), features, fields(goal),
               [this](const Catch& found) { catches.push_back(found); }) {
    for (const std::string& op : ops) choices.ops.push_back(op_hash(op));
    choices.dtypes = dtypes.size();
    choices.may_go_backward = false;
  }

  static Json fields(const char* goal) {
    Options options;
    options.relations = relations_from(goal_or_usage_error(goal).relations);
    return common_fields(options);
  }

  void run(int executions, std::uint64_t seed = 1) {
    Random random(seed);
    for (int i = 0; i < executions; ++i) hunter.execute(encode(sample(choices, random)));
  }

  std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(Features::kCells);
  Features features{cells};
  Domain domain;
  std::vector<Catch> catches;
  Hunter hunter;
  Choices choices;
};

TEST(Hunter, FindsAPlantedFaultAndLeavesItsTwinAlone) {
  Hunt faulty({"planted::window"}, "nonfinite");
  faulty.run(1500);
  ASSERT_GE(faulty.catches.size(), 1u);
  EXPECT_LE(faulty.catches.size(), 3u);  // a negative view has a path of its own
  EXPECT_EQ(faulty.catches[0].row.verdict, Verdict::nonfinite);
  EXPECT_EQ(faulty.catches[0].stored["op"], "planted::window");
  Hunt sound({"planted::sound"});
  sound.run(1500);
  EXPECT_TRUE(sound.catches.empty()) << sound.catches.front().row.message;
  EXPECT_EQ(sound.hunter.tally().executions, 1500u);
}

/// Else a search of operators that have none would look like one that found nothing.
TEST(Hunter, CountsCasesThatHaveNoFusedKernelToLeave) {
  for (const auto& [op, has_one] :
       {std::pair("aten::exp", false), std::pair("aten::scaled_dot_product_attention", true)}) {
    Hunt hunt({op}, "fallback");
    hunt.run(40);
    const auto& counts = hunt.hunter.tally().verdicts;
    EXPECT_EQ(counts.contains("without a fused kernel to leave"), !has_one) << op;
    Hunt asked({op}, "fallback");  // as the RapidCheck driver does
    Random random(1);
    asked.hunter.judge(encode(sample(asked.choices, random)), false);
    EXPECT_EQ(asked.hunter.tally().verdicts.contains("without a fused kernel to leave"), !has_one);
  }
}

TEST(Hunter, TheSameInputsGiveTheSame) {
  Hunt one({"aten::gelu", "aten::softmax.int"});
  Hunt other({"aten::gelu", "aten::softmax.int"});
  one.run(400);
  other.run(400);
  EXPECT_EQ(one.hunter.tally().verdicts, other.hunter.tally().verdicts);
  EXPECT_EQ(one.features.lit(), other.features.lit());
  ASSERT_EQ(one.catches.size(), other.catches.size());
  ASSERT_FALSE(one.catches.empty());
  for (std::size_t i = 0; i < one.catches.size(); ++i) {
    EXPECT_EQ(one.catches[i].stored, other.catches[i].stored);
    EXPECT_EQ(one.catches[i].execution, other.catches[i].execution);
  }
}

TEST(Hunter, KeepsToItsGoal) {
  Hunt hunt({"aten::gelu"}, "nondeterminism");
  hunt.run(400);
  EXPECT_TRUE(hunt.catches.empty());
}

TEST(Hunter, RefusesWhatTorchRefuses) {
  Hunt hunt({"aten::softmax.int"});
  Genome genome{.op = op_hash("aten::softmax.int"), .length = 8};
  EXPECT_TRUE(hunt.hunter.execute(encode(genome)));
  // dim and what it stands for, 3 steps on: no such dimension
  genome.attributes = {{.which = 0, .value = 4}, {.which = 0, .value = 4}};
  EXPECT_FALSE(hunt.hunter.execute(encode(genome)));
  EXPECT_EQ(hunt.hunter.tally().refused, 1u);
}

TEST(Hunter, AnyBytesWillDo) {
  Hunt hunt({"aten::exp", "aten::linear"});
  Random random(9);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> bytes(random.below(300));
    for (std::uint8_t& byte : bytes) byte = random.byte();
    hunt.hunter.execute(bytes);
  }
  EXPECT_EQ(hunt.hunter.tally().executions, 300u);
  EXPECT_LT(hunt.hunter.tally().refused, 250u);
}

}  // namespace
}  // namespace plumb
