#include "fuzz/boundary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/genome_case.hpp"
#include "sweep/layouts.hpp"

namespace plumb {
namespace {

using testing::ElementsAre;

constexpr const char* kAttention = "aten::scaled_dot_product_attention";
constexpr const char* kFlash = "aten::_scaled_dot_product_flash_attention_for_cpu";

std::uint8_t layout(const std::string& name) {
  for (std::size_t i = 0; i < layouts().size(); ++i) {
    if (layouts()[i].name == name) return static_cast<std::uint8_t>(i);
  }
  throw std::out_of_range(name);
}

class BoundaryTest : public testing::Test {
 protected:
  Domain domain_{{kAttention, "aten::exp"}, {"float32"}};
  Boundary boundary_{domain_};
  Genome genome_{.op = op_hash(kAttention), .length = 8};
};

TEST_F(BoundaryTest, OrdinaryAttentionIsMeantToRunFlash) {
  EXPECT_THAT(boundary_.intended(genome_), ElementsAre(kFlash));
  EXPECT_FALSE(boundary_.leaves(genome_));
  EXPECT_TRUE(boundary_.intended({.op = op_hash("aten::exp")}).empty());
  EXPECT_FALSE(boundary_.leaves({.op = op_hash("aten::exp")}));
}

TEST_F(BoundaryTest, NamesTheOneThingThatHadToStay) {
  genome_.tensors[1].layout = layout("every second");  // the last stride of the key is 2
  genome_.seed = 7;
  genome_.batch = 3;
  genome_.tensors[0].values = 5;
  ASSERT_TRUE(boundary_.leaves(genome_));
  const auto crossing = boundary_.nearest(genome_);
  EXPECT_THAT(crossing.conditions, ElementsAre("every second key"));
  EXPECT_EQ(crossing.genome.batch, 0);
  EXPECT_TRUE(boundary_.leaves(crossing.genome));
}

}  // namespace
}  // namespace plumb
