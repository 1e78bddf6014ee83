#include <algorithm>

#include <gmock/gmock.h>

#include "scenarios/topology/placed_transformer.hpp"
#include "tests/scenarios/arm_result.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

const std::string kName = "device-map-mismatch";

std::vector<std::string> rules_found(const Result& result) {
  std::vector<std::string> rules;
  const Table findings = table(result, "findings");
  for (const auto& cells : findings.rows) {
    rules.push_back(std::get<std::string>(cells[0]));
  }
  return rules;
}

TEST(DeviceMapMismatch, ASplitBlockPartedTiesAndAStalePlacementAreAllNamed) {
  const Result result = arm_result(kName, "faulty");
  EXPECT_EQ(result.verdict, Verdict::invariant_broken);
  EXPECT_EQ(result.where, "device-map");
  // ln_2 (2), mlp (2), ln_f (2) and lm_head are where the older map had them
  const auto rules = rules_found(result);
  EXPECT_THAT(rules, testing::Contains("split"));
  EXPECT_THAT(rules, testing::Contains("tied"));
  EXPECT_EQ(std::count(rules.begin(), rules.end(), "placement"), 7);
}

TEST(DeviceMapMismatch, ExecutingOnTheWrongVirtualDeviceRaises) {
  const Table raised = table(arm_result(kName, "faulty"), "running it anyway");
  EXPECT_THAT(std::get<std::string>(raised.rows[0][0]),
              HasSubstr("found at least two devices, cpu and 0! (in blocks.1.ln_2)"));
}

TEST(DeviceMapMismatch, WeightsLeftOnMetaEndInTorchsOwnError) {
  const Result result = arm_result(kName, "faulty", {{"offload", 1}});
  EXPECT_EQ(result.verdict, Verdict::error);
  EXPECT_THAT(result.message, HasSubstr("meta"));
  EXPECT_THAT(rules_found(result), testing::ElementsAre("offload-folder"));
}

TEST(DeviceMapMismatch, AModelOfWholeBlocksRunsAndIsRight) {
  const Result result = arm_result(kName, "fixed");
  EXPECT_EQ(result.verdict, Verdict::stable) << result.message;
  EXPECT_LT(*result.r, 1);
}

TEST(DeviceMapMismatch, ABufferLeftBehindIsCaught) {
  const Result result = arm_result(kName, "mutant");
  EXPECT_EQ(result.verdict, Verdict::invariant_broken);
  EXPECT_THAT(result.message,
              HasSubstr("buffer blocks.1.attn.causal is declared on cpu and is on"));
  EXPECT_EQ(rules_found(result).size(), 1);
}

TEST(PlacedTransformer, GivesTheSameLogitsOnOneDeviceAndOnTwoVirtualOnes) {
  Draws draws(7, at::kFloat);
  const Inputs inputs = PlacedTransformer::make_inputs(draws);
  const auto logits = [&](const DeviceMap& map) {
    PlacedTransformer model(PlacedTransformer::tensors_of(inputs), map, c10::kCPU);
    model.dispatch(map);
    return model.logits(inputs["tokens"]);
  };
  const DeviceMap one{{"", "0"}};
  const DeviceMap two{{"", "0"}, {"blocks.1", "1"}, {"ln_f", "1"}, {"lm_head", "0"}};
  EXPECT_TRUE(logits(one).equal(logits(two)));
}

TEST(PlacedTransformer, ASplitResidualBlockRaisesEvenWhenEveryTensorIsWhereTheMapSays) {
  Draws draws(7, at::kFloat);
  const Inputs inputs = PlacedTransformer::make_inputs(draws);
  const DeviceMap split{{"", "0"}, {"blocks.1.ln_2", "1"}, {"blocks.1.mlp", "1"}};
  PlacedTransformer model(PlacedTransformer::tensors_of(inputs), split, c10::kCPU);
  model.dispatch(split);
  try {
    model.logits(inputs["tokens"]);
    FAIL() << "nothing was raised";
  } catch (const WrongDevice& error) {
    EXPECT_THAT(error.what(), HasSubstr("0 and 1! (in blocks.1)"));
  }
}

TEST(PlacedTransformer, LooksBackOnly) {
  Draws draws(7, at::kFloat);
  Inputs inputs = PlacedTransformer::make_inputs(draws);
  const DeviceMap map{{"", "0"}};
  PlacedTransformer model(PlacedTransformer::tensors_of(inputs), map, c10::kCPU);
  model.dispatch(map);
  const at::Tensor before = model.logits(inputs["tokens"]);
  const at::Tensor changed = inputs["tokens"].clone();
  changed[-1] = (changed[-1] + 1) % 96;
  const at::Tensor after = model.logits(changed);
  EXPECT_TRUE(before.slice(0, 0, -1).equal(after.slice(0, 0, -1)));
  EXPECT_FALSE(before[-1].equal(after[-1]));
}

}  // namespace
}  // namespace plumb
