#include "sweep/plan.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

Json made(std::string_view row, std::int64_t n, c10::ScalarType dtype = c10::kFloat) {
  return arguments_of(
      plan_from_row(row),
      {.sizes = sizes_with(n), .dtype = dtype, .fill = [](const PlannedArgument& argument) {
         return Json{{"domain", argument.domain}};
       }});
}

TEST(Plan, LettersAreSizes) {
  const Json args = made("self=b,c,n size=[n,3] steps=n", 17);
  EXPECT_EQ(args["self"]["shape"], Json::array({2, 4, 17}));
  EXPECT_EQ(args["size"], Json::array({17, 3}));
  EXPECT_EQ(args["steps"]["shape"], Json::array({17}));
}

TEST(Plan, IntegersPivotsAndMasksStayInTheirRange) {
  const Json args = made("index=i:r,n<c pivots=p:m<m mask=m:n lengths=l:[n,1]", 9);
  EXPECT_EQ(args["index"]["params"], Json({{"low", 0}, {"high", 4}}));
  EXPECT_EQ(args["pivots"]["params"], Json({{"low", 1}, {"high", 6}}));
  EXPECT_EQ(args["pivots"]["dtype"], "int32");
  EXPECT_EQ(args["mask"]["dtype"], "bool");
  EXPECT_EQ(args["lengths"]["data"], Json::array({9, 1}));
}

TEST(Plan, ADomainIsHandedToWhatFills) {
  EXPECT_EQ(made("p=r,n@0..1", 3)["p"]["domain"], "0..1");
  EXPECT_EQ(made("A=m,m@definite", 3)["A"]["domain"], "definite");
}

TEST(Plan, DtypeAndComplexFollowTheCase) {
  EXPECT_EQ(made("end=7.7 dtype=\"$dtype\"", 3, c10::kHalf)["dtype"], "float16");
  EXPECT_EQ(made("self=z:n", 3, c10::kDouble)["self"]["dtype"], "complex128");
}

TEST(Plan, ASettingChangesSomeArgumentsAndAddsOthers) {
  const Plan plan = changed(plan_from_row("self=r,n eps=1e-5"), "eps=0 p=\"inf\" weight=n");
  ASSERT_EQ(plan.arguments.size(), 4u);
  EXPECT_EQ(plan.arguments[1].value, 0);
  EXPECT_EQ(plan.arguments[2].value, "inf");
  EXPECT_EQ(plan.floating(), (std::vector<std::string>{"self", "weight"}));
}

TEST(Plan, CountsItsElements) {
  EXPECT_EQ(elements_of(plan_from_row("self=r,n mat2=n,m x=t:n|n p=2"), sizes_with(10)), 100);
}

TEST(Plan, TheTableHasEverySettingOfAnEntryAndNoneForAStranger) {
  const auto rows = rows_of_shapes("aten::gru_cell");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].ends_with("b_hh=f:15")) << rows[0];
  EXPECT_GE(rows_of_shapes("aten::_to_copy").size(), 8u);
  EXPECT_TRUE(rows_of_shapes("aten::no_such").empty());
}

}  // namespace
}  // namespace plumb
