#include "scenarios/topology/device_map.hpp"

#include <gmock/gmock.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two blocks of two weights, a mask per block, and a head tied to the embedding.
std::vector<PlacedTensor> model() {
  const at::Tensor embedding = at::ones({2});
  std::vector<PlacedTensor> tensors = {{.name = "wte.weight", .tensor = embedding},
                                       {.name = "lm_head.weight", .tensor = embedding}};
  for (const std::string block : {"blocks.0", "blocks.1"}) {
    tensors.push_back({.name = block + ".attn.weight", .tensor = at::ones({2})});
    tensors.push_back({.name = block + ".attn.causal",
                       .tensor = at::ones({2}),
                       .kind = PlacedTensor::Kind::transient});
    tensors.push_back({.name = block + ".mlp.weight", .tensor = at::ones({2})});
  }
  return tensors;
}

std::vector<MapFinding> findings_of(const DeviceMap& map) {
  return check_map(map, model(), {"blocks.0", "blocks.1"});
}

std::vector<PlacedTensor> dispatched(const DeviceMap& map) {
  auto tensors = model();
  for (PlacedTensor& tensor : tensors) tensor.device = map.device_of(tensor.name);
  return tensors;
}

const DeviceMap kSound{{"wte", "0"}, {"blocks.0", "0"}, {"blocks.1", "1"}, {"lm_head", "0"}};

TEST(DeviceMap, AKeyCoversItsModuleAndAllBelow) {
  const DeviceMap map{{"blocks.1", "1"}};
  EXPECT_EQ(map.find("blocks.1"), "1");
  EXPECT_EQ(map.find("blocks.1.attn.weight"), "1");
  EXPECT_EQ(map.find("blocks.10.attn.weight"), std::nullopt);
  EXPECT_EQ(map.find("blocks"), std::nullopt);
}

TEST(DeviceMap, TheEmptyKeyCoversEverythingAndALongerKeyWins) {
  const DeviceMap map{{"", "0"}, {"blocks.1", "1"}, {"blocks", "cpu"}};
  EXPECT_EQ(map.find("wte.weight"), "0");
  EXPECT_EQ(map.find("blocks.0.mlp"), "cpu");
  EXPECT_EQ(map.find("blocks.1.mlp"), "1");
}

TEST(DeviceMap, RaisesForAModuleItDoesNotContain) {
  try {
    DeviceMap{{"wte", "0"}}.device_of("ln_f");
    FAIL() << "nothing was raised";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("The `device_map` does not contain the module ln_f."));
  }
}

TEST(DeviceMap, OnlyAModuleThatIsAKeyHasAHook) {
  EXPECT_EQ(kSound.hook("blocks.1"), "1");
  EXPECT_EQ(kSound.hook("blocks.1.attn"), std::nullopt);
}

TEST(DeviceMap, ModulePathsAreTheProperPrefixesOfTensorNames) {
  EXPECT_THAT(module_paths({{.name = "a.b.weight", .tensor = {}}, {.name = "bias", .tensor = {}}}),
              ElementsAre("", "a", "a.b"));
}

TEST(DeviceMap, ASoundMapHasNoFindings) {
  EXPECT_THAT(findings_of(kSound), IsEmpty());
  EXPECT_THAT(check_placement(kSound, dispatched(kSound)), IsEmpty());
}

TEST(DeviceMap, NamesKeysThatMatchNoModule) {
  const auto findings = findings_of(DeviceMap{{"", "0"}, {"layers.0", "1"}, {"vision", "1"}});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].rule, "unknown-key");
  EXPECT_EQ(findings[0].text,
            "The following device_map keys do not match any submodules in the model: "
            "['layers.0', 'vision']");
}

TEST(DeviceMap, NamesWhatNoKeyCovers) {
  const auto findings = findings_of(
      DeviceMap{{"wte", "0"}, {"lm_head", "0"}, {"blocks.0", "0"}, {"blocks.1.attn", "0"}});
  ASSERT_EQ(findings.size(), 2);  // the block is split between device 0 and none
  EXPECT_EQ(findings[0].text,
            "The device_map provided does not give any device for the following parameters: "
            "blocks.1.mlp.weight");
}

TEST(DeviceMap, NamesTiedWeightsThatAreParted) {
  const auto findings =
      findings_of(DeviceMap{{"wte", "0"}, {"blocks.0", "0"}, {"blocks.1", "1"}, {"lm_head", "1"}});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].text,
            "Tied parameters are on different devices: {wte.weight: 0, lm_head.weight: 1}. Please "
            "modify your custom device map or set `device_map='auto'`.");
}

TEST(DeviceMap, NamesAResidualBlockThatIsSplit) {
  const auto findings = findings_of(DeviceMap{{"", "0"}, {"blocks.1.mlp", "1"}});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].rule, "split");
  EXPECT_THAT(findings[0].text, HasSubstr("blocks.1 is split over devices 0, 1"));
}

TEST(DeviceMap, DiskNeedsAnOffloadFolder) {
  DeviceMap map{{"", "0"}, {"blocks.1", "disk"}};
  EXPECT_THAT(findings_of(map), ElementsAre(Field(&MapFinding::rule, "offload-folder")));
  map.offload_folder = "offloaded";
  EXPECT_THAT(findings_of(map), IsEmpty());
}

TEST(DeviceMap, FindsAMisplacedParameter) {
  auto tensors = dispatched(kSound);
  tensors.back().device = "0";
  EXPECT_THAT(check_placement(kSound, tensors),
              ElementsAre(Field(&MapFinding::text,
                                "parameter blocks.1.mlp.weight is declared on 1 and is on 0")));
}

TEST(DeviceMap, FindsAMisplacedBufferThatNoCheckpointHolds) {
  auto tensors = dispatched(kSound);
  for (PlacedTensor& tensor : tensors) {
    if (tensor.name == "blocks.1.attn.causal") tensor.device = "0";
  }
  EXPECT_THAT(check_placement(kSound, tensors),
              ElementsAre(Field(&MapFinding::text,
                                "buffer blocks.1.attn.causal is declared on 1 and is on 0")));
}

TEST(DeviceMap, ATensorWithoutADeclaredDeviceIsMisplaced) {
  const auto findings = check_placement(DeviceMap{{"wte", "cpu"}}, model());
  EXPECT_EQ(findings.size(), model().size() - 1);
  EXPECT_THAT(findings, Each(Field(&MapFinding::text, HasSubstr("declared on none"))));
}

}  // namespace
}  // namespace plumb
