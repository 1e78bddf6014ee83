#include "sweep/plan.hpp"

#include <gtest/gtest.h>

#include "sweep/targets.hpp"

namespace plumb {
namespace {

std::vector<Plan> plans(const char* name, std::string* why = nullptr) {
  std::string reason;
  const auto found = plans_for({targets({name}).front().handle}, reason);
  if (why != nullptr) *why = reason;
  return found;
}

Json shapes(const Plan& plan, std::int64_t n) {
  Json args = arguments_of(plan, sizes_with(n), [](const std::string&) { return Json::object(); });
  for (auto& [name, value] : args.items()) {
    if (value.is_object()) value = value["shape"];
  }
  return args;
}

TEST(Plan, APointwiseOperatorTakesOneShapeForAllInOneAndTwoDimensions) {
  const auto found = plans("aten::add.Tensor");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(shapes(found[0], 9)["other"], Json::array({9}));
  EXPECT_EQ(shapes(found[1], 9)["other"], Json::array({3, 9}));
  EXPECT_EQ(found[0].floating(), (std::vector<std::string>{"self", "other"}));
}

TEST(Plan, ARowOfTheTableOfShapesSaysWhatASchemaDoesNot) {
  const auto found = plans("aten::linear");
  ASSERT_EQ(found.size(), 1u);
  const Json args = shapes(found[0], 64);
  EXPECT_EQ(args["input"], Json::array({3, 64}));
  EXPECT_EQ(args["weight"], Json::array({5, 64}));
  EXPECT_EQ(args["bias"], Json::array({5}));
  EXPECT_EQ(shapes(plans("aten::layer_norm")[0], 64)["normalized_shape"], Json::array({64}));
}

TEST(Plan, IndicesStayInsideWhatTheyIndex) {
  const Json args = arguments_of(plans("aten::gather")[0], sizes_with(7),
                                 [](const std::string&) { return Json::object(); });
  EXPECT_EQ(args["index"]["dtype"], "int64");
  EXPECT_EQ(args["index"]["params"]["high"], 7);
}

TEST(Plan, IntegersAreTriedWhereNumbersAreRefused) {
  const auto found = plans("aten::bitwise_and.Tensor");
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].floating().empty());
}

TEST(Plan, WhereNothingRunsTheReasonIsTorchsOwn) {
  std::string why;
  EXPECT_TRUE(plans("aten::lu_solve", &why).empty());
  EXPECT_NE(why.find("pivots"), std::string::npos) << why;
}

}  // namespace
}  // namespace plumb
