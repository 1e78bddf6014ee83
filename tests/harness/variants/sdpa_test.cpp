#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

using testing::Contains;
using testing::HasSubstr;

Result attention(const std::string& variant, at::Tensor value,
                 std::vector<std::string> relations = {}) {
  Settings settings;
  settings.variant = variant;
  settings.relations = std::move(relations);
  const at::Tensor x = at::linspace(-1, 1, 2 * 4 * 8 * 16).view({2, 4, 8, 16});
  const Inputs inputs = {
      {"query", x}, {"key", x.flip(2).contiguous()}, {"value", std::move(value)}};
  return evaluate({operator_program(*operator_named("aten::scaled_dot_product_attention")),
                   inputs,
                   at::kFloat,
                   {}},
                  settings)
      .result;
}

at::Tensor plain_value() { return at::linspace(1, 2, 2 * 4 * 8 * 16).view({2, 4, 8, 16}); }

TEST(Sdpa, TheBackEndAskedForRuns) {
  const Result flash = attention("sdpa-flash", plain_value());
  EXPECT_EQ(flash.verdict, Verdict::stable) << flash.message;
  EXPECT_THAT(flash.path, Contains(HasSubstr("flash")));
  const Result math = attention("sdpa-math", plain_value());
  EXPECT_EQ(math.verdict, Verdict::stable) << math.message;
  EXPECT_THAT(math.path, Contains(HasSubstr("math")));
}

TEST(Sdpa, ARefusalIsInTheWordsOfTorch) {
  const Result row = attention("sdpa-flash", plain_value().narrow(3, 0, 4).contiguous());
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_THAT(row.message, HasSubstr("torch refuses the back end flash: "));
  EXPECT_THAT(row.message, HasSubstr("same last dimension"));
}

/// Flash takes no strided query: that says nothing of the answer to the first.
TEST(Sdpa, ARelationThatTheBackEndRefusesHasNoMeaning) {
  const Result row = attention("sdpa-flash", plain_value(), {"layout", "batch"});
  EXPECT_EQ(row.verdict, Verdict::stable) << row.message;
}

TEST(Sdpa, TheCpuHasNoCudnn) {
  EXPECT_EQ(attention("sdpa-cudnn", plain_value()).verdict, Verdict::skipped);
  EXPECT_EQ(attention("sdpa-efficient", plain_value()).verdict, Verdict::skipped);
}

TEST(Sdpa, AProgramWithoutAttentionIsSkipped) {
  Settings settings;
  settings.variant = "sdpa-math";
  const Result row = evaluate({operator_program(*operator_named("aten::exp")),
                               {{"self", at::ones({3})}},
                               at::kFloat,
                               {}},
                              settings)
                         .result;
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_THAT(row.message, HasSubstr("calls no scaled_dot_product_attention"));
}

}  // namespace
}  // namespace plumb
