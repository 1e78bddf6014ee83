#include "sweep/translate.hpp"

#include <gtest/gtest.h>

#include <torch/library.h>

namespace plumb {
namespace {

TORCH_LIBRARY(translate_planted, library) {
  library.def("norm(Tensor x, int[] shape, Tensor? w, Tensor? b, float epsilon) -> Tensor");
  library.def("total(Tensor x, int axis) -> Tensor");
}

Plan translated_plan(const std::string& name, const std::string& reference, const Plan& plan) {
  const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow(("translate_planted::" + name).c_str(), "");
  const ReferenceProgram found = *reference_of(op, {reference_rule(reference)});
  return *translated(plan, {op, &found});
}

Plan plan_of(const std::vector<PlannedArgument>& arguments) {
  Plan plan;
  plan.arguments = arguments;
  return plan;
}

TEST(Translate, NamesAreThoseOfTheOperatorAndDefaultsThoseOfTheReference) {
  PlannedArgument input{.name = "input", .kind = PlannedArgument::Kind::floating};
  input.shapes.push_back("r,n");
  const Plan own = translated_plan(
      "norm", "aten::layer_norm",
      plan_of({input, PlannedArgument{.name = "normalized_shape", .value = Json::array({"n"})},
               PlannedArgument{.name = "cudnn_enable", .value = false}}));
  ASSERT_EQ(own.arguments.size(), 3u);
  EXPECT_EQ(own.arguments[0].name, "x");
  EXPECT_EQ(own.arguments[0].shapes, std::vector<std::string>{"r,n"});
  EXPECT_EQ(own.arguments[1].name, "shape");
  EXPECT_EQ(own.arguments[1].value, Json::array({"n"}));
  EXPECT_EQ(own.arguments[2].name, "epsilon");
  EXPECT_EQ(own.arguments[2].value, 1e-5);
}

TEST(Translate, AListOfOneIsANumberWhereOneIsTaken) {
  const PlannedArgument self{.name = "self", .kind = PlannedArgument::Kind::floating};
  const PlannedArgument dim{.name = "dim", .value = Json::array({1})};
  const Plan own = translated_plan("total", "aten::sum.dim_IntList", plan_of({self, dim}));
  EXPECT_EQ(own.arguments.at(1).value, 1);
}

TEST(Translate, WithoutAReferenceAPlanStaysAsItIs) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("translate_planted::total", "");
  const Plan plan = plan_of({PlannedArgument{.name = "x"}});
  EXPECT_EQ(translated(plan, {op})->arguments.at(0).name, "x");
}

}  // namespace
}  // namespace plumb
