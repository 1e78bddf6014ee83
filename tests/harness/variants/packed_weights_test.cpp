#include "harness/variants/packed_weights.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

/// Numbers what is packed.
class Counting {
 public:
  explicit Counting(std::size_t limit = 1 << 20) : known_(limit) {}

  int of(const at::Tensor& weight, const at::Tensor& bias = {}) {
    return known_.of(weight, bias, [this] { return ++packed_; });
  }
  std::size_t size() const { return known_.size(); }

 private:
  PackedWeights<int> known_;
  int packed_ = 0;
};

TEST(PackedWeights, AreFoundByTheirBits) {
  Counting packing;
  const at::Tensor weight = at::ones({2, 3});
  const at::Tensor bias = at::ones({2});
  EXPECT_EQ(packing.of(weight), 1);
  EXPECT_EQ(packing.of(weight.clone()), 1);
  EXPECT_EQ(packing.of(weight, bias), 2);
  EXPECT_EQ(packing.of(weight, bias * 2), 3);
  EXPECT_EQ(packing.of(weight.to(at::kInt)), 4);
  EXPECT_EQ(packing.of(weight.view({3, 2})), 5);
  EXPECT_EQ(packing.of(weight.t().contiguous().t()), 6);
  EXPECT_EQ(packing.of(-at::zeros({2, 3})), 7);
  EXPECT_EQ(packing.of(at::zeros({2, 3})), 8);  // another sign of zero
  EXPECT_EQ(packing.of(at::full({2, 3}, NAN)), 9);
  EXPECT_EQ(packing.of(at::full({2, 3}, NAN)), 9);
  EXPECT_EQ(packing.of(at::empty({0, 3})), 10);
  EXPECT_EQ(packing.of(at::empty({0, 3})), 10);
  EXPECT_EQ(packing.of(weight, bias), 2);
}

TEST(PackedWeights, AreNotThoseThatWereWrittenTo) {
  Counting packing;
  const at::Tensor weight = at::ones({2, 3});
  EXPECT_EQ(packing.of(weight), 1);
  weight.mutable_data_ptr<float>()[5] = 7;  // as nothing that counts versions would see
  EXPECT_EQ(packing.of(weight), 2);
}

TEST(PackedWeights, WithHolesInMemoryAreNotKept) {
  Counting packing;
  const at::Tensor holes = at::ones({2, 6}).slice(1, 0, 6, 2);
  EXPECT_EQ(packing.of(holes), 1);
  EXPECT_EQ(packing.of(holes), 2);
  EXPECT_EQ(packing.size(), 0U);
}

TEST(PackedWeights, TheOldestGoWhereTheyTakeTooMuch) {
  Counting packing(/*limit=*/100);
  const auto of = [&](int number) { return packing.of(at::full({10}, float(number))); };  // 40 B
  EXPECT_EQ(of(1), 1);
  EXPECT_EQ(of(2), 2);
  EXPECT_EQ(of(3), 3);
  EXPECT_EQ(packing.size(), 2U);
  EXPECT_EQ(of(3), 3);
  EXPECT_EQ(of(2), 2);
  EXPECT_EQ(of(1), 4);
  packing.of(at::ones({100}));  // alone more than that
  EXPECT_EQ(packing.size(), 0U);
}

/// A training step between two runs of what was prepared.
TEST(PackedWeights, AWeightThatChangedBetweenTwoRunsIsPackedAnew) {
  const Program linear = operator_program(*operator_named("aten::linear"));
  const at::Tensor weight = at::ones({4, 8});
  const Inputs inputs = {{"input", at::ones({2, 8})}, {"weight", weight}};
  for (const char* name : {"int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm"}) {
    weight.fill_(1);
    const Prepared prepared = variant_or_usage_error(name).prepare(linear, inputs, c10::kCPU);
    EXPECT_NEAR(prepared(inputs).outputs.front().tensor[0][0].item<double>(), 8, 0.1) << name;
    weight.fill_(3);
    EXPECT_NEAR(prepared(inputs).outputs.front().tensor[0][0].item<double>(), 24, 0.3) << name;
  }
}

}  // namespace
}  // namespace plumb
