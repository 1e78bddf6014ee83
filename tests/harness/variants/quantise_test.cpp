#include "harness/variants/quantise.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/parts.hpp"

namespace plumb {
namespace {

TEST(Quantise, TheEvenColumnIsInTheUpperHalfOfAByte) {
  const at::Tensor values = at::tensor({1, 2, 3, 15, 0, 8, 15, 0}, at::kInt).view({2, 4});
  const at::Tensor expected = at::tensor({0x12, 0x3F, 0x08, 0xF0}, at::kInt).view({2, 2});
  EXPECT_TRUE(at::equal(pairs_of_fours(values).to(at::kInt), expected));
  EXPECT_EQ(pairs_of_fours(values).scalar_type(), at::kByte);
}

/// The second rounding is allowed for, and no more than that.
TEST(Quantise, AWeightThatIsRoundedAgainKeepsItsGrid) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
  for (const c10::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
    const at::Tensor weight = at::randn({16, 64}, generator).to(dtype);
    IntegerWeight integers = symmetric_groups(weight, 32, 7);
    const Rounding sound = rounded_again(weight, integers);
    EXPECT_EQ(broken_rounding(sound), "");
    EXPECT_TRUE(at::equal(sound.rounded, sound.rounded.to(dtype).to(at::kDouble)));
    EXPECT_FALSE(at::equal(sound.rounded, integers.dequantised()));
    integers.values[5][40] += integers.values[5][40].item<int>() > 0 ? -1 : 1;
    EXPECT_NE(broken_rounding(rounded_again(weight, integers)), "");
  }
}

}  // namespace
}  // namespace plumb
