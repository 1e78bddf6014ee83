#include "harness/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

using testing::HasSubstr;

const double kInf = std::numeric_limits<double>::infinity();

at::Tensor wide(std::vector<double> values) { return at::tensor(values, at::kDouble); }

TEST(Parts, HalfAStepIsTheLimitOfRounding) {
  const at::Tensor step = wide({0.5});
  EXPECT_EQ(broken_rounding({wide({1, 2}), wide({1.25, 2}), step}), "");
  EXPECT_THAT(broken_rounding({wide({1, 2}), wide({1, 2.3}), step}),
              HasSubstr("[1] is 2 and was multiplied as 2.3"));
  EXPECT_NE(broken_rounding({wide({1}), wide({NAN}), step}), "");
  EXPECT_EQ(broken_rounding({wide({1, kInf}), wide({NAN, NAN}), step}), "");
}

Result whole(const at::Tensor& y, const at::Tensor& g) {
  return judged_whole({{"output 0", y}}, {{"output 0", g, {}}});
}

TEST(Parts, AFigureSaysHowFarTheWholeIsOff) {
  const Result row = whole(at::tensor({1.1F, 1.0F}), wide({1, 1}));
  EXPECT_EQ(row.verdict, Verdict::exact);  // nothing is said against it
  EXPECT_NEAR(std::get<double>(row.tables[0].rows[0][1]), 0.1 / std::sqrt(2), 1e-6);
}

TEST(Parts, AnExactAnswerOfZerosIsNotOff) {
  const Result row = whole(at::zeros({2}), at::zeros({2}, at::kDouble));
  EXPECT_EQ(std::get<double>(row.tables[0].rows[0][1]), 0.0);
}

TEST(Parts, TheClassesOfTheWholeMustAgree) {
  const Result lost = whole(at::tensor({NAN, 1.0F}).to(at::kFloat), wide({1, 1}));
  EXPECT_EQ(lost.verdict, Verdict::nonfinite);
  EXPECT_THAT(lost.message, HasSubstr("[0] is nan, the program without quantisation gives 1"));
  EXPECT_EQ(whole(at::tensor({1.0F}), wide({kInf})).verdict, Verdict::masked);
}

TEST(Parts, NearTheLimitOfTheTypeEitherClassIsRight) {
  const at::Tensor inf = at::full({1}, kInf, at::kHalf);
  EXPECT_EQ(whole(inf, wide({60000})).verdict, Verdict::exact);
  EXPECT_EQ(whole(inf, wide({20000})).verdict, Verdict::nonfinite);
}

}  // namespace
}  // namespace plumb
