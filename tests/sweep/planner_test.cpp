#include "sweep/planner.hpp"

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

Json made(const Plan& plan, std::int64_t n) {
  return arguments_of(plan, {.sizes = sizes_with(n),
                             .dtype = c10::kFloat,
                             .fill = [](const PlannedArgument&) { return Json::object(); }});
}

Json shapes(const Plan& plan, std::int64_t n) {
  Json args = made(plan, n);
  for (auto& [name, value] : args.items()) {
    if (value.is_object()) value = value["shape"];
  }
  return args;
}

TEST(Planner, APointwiseOperatorTakesOneShapeForAllInOneAndTwoDimensions) {
  const auto found = plans("aten::maximum");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(shapes(found[0], 9)["other"], Json::array({9}));
  EXPECT_EQ(shapes(found[1], 9)["other"], Json::array({3, 9}));
  EXPECT_EQ(found[0].floating(), (std::vector<std::string>{"self", "other"}));
}

TEST(Planner, ARowOfTheTableOfShapesSaysWhatASchemaDoesNot) {
  const auto found = plans("aten::linear");
  ASSERT_EQ(found.size(), 2u);
  const Json args = shapes(found[0], 64);
  EXPECT_EQ(args["input"], Json::array({3, 64}));
  EXPECT_EQ(args["weight"], Json::array({5, 64}));
  EXPECT_EQ(args["bias"], Json::array({5}));
  EXPECT_EQ(shapes(plans("aten::layer_norm")[0], 64)["normalized_shape"], Json::array({64}));
}

TEST(Planner, IndicesStayInsideWhatTheyIndex) {
  const Json args = made(plans("aten::gather")[0], 7);
  EXPECT_EQ(args["index"]["dtype"], "int64");
  EXPECT_EQ(args["index"]["params"]["high"], 7);
}

TEST(Planner, IntegersAreTriedWhereNumbersAreRefused) {
  const auto found = plans("aten::bitwise_and.Tensor");
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].floating().empty());
}

TEST(Planner, WhereNothingRunsTheReasonIsTorchsOwn) {
  std::string why;
  EXPECT_TRUE(plans("aten::sspaddmm", &why).empty());
  EXPECT_NE(why.find("sparse"), std::string::npos) << why;
}

/// The row is that of mm, which has no such argument.
TEST(Planner, ATypeThatMustBeGivenIsThatOfTheCase) {
  EXPECT_EQ(made(plans("aten::norm.ScalarOpt_dtype")[0], 4)["dtype"], "float32");
  for (const char* name : {"aten::mm.dtype", "aten::addmm.dtype", "aten::bmm.dtype"}) {
    std::string why;
    EXPECT_TRUE(plans(name, &why).empty());
    EXPECT_EQ(why, "torch has no such kernel for the CPU");
  }
}

TEST(Planner, SettingsOfTheTableAreAddedToWhatTheSchemaGives) {
  const auto found = plans("aten::gelu");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(made(found[0], 4).value("approximate", ""), "");
  EXPECT_EQ(made(found[2], 4)["approximate"], "tanh");
  EXPECT_EQ(made(found[2], 4)["self"], made(found[1], 4)["self"]);
}

TEST(Planner, ASettingThatThisOverloadDoesNotHaveIsLeftOut) {
  EXPECT_EQ(plans("aten::clamp").size(), 2u);         // numbers
  EXPECT_EQ(plans("aten::clamp.Tensor").size(), 2u);  // tensors
  EXPECT_EQ(plans("aten::sum").size(), 3u);           // "complex" alone, not those of dim_IntList
}

/// Where equal numbers may come in any order, no index is right.
TEST(Planner, SortsKeepTheOrderOfEqualNumbers) {
  for (const char* name : {"aten::sort.stable", "aten::argsort.stable"}) {
    for (const Plan& plan : plans(name)) EXPECT_EQ(made(plan, 9)["stable"], true) << name;
  }
}

TEST(Planner, WhatTakesNoTensorHasItsRow) {
  const auto found = plans("aten::linspace");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(made(found[0], 4)["dtype"], "float32");
  EXPECT_TRUE(found[0].floating().empty());
}

}  // namespace
}  // namespace plumb
