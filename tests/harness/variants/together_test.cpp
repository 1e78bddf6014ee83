#include "harness/variants/inductor/together.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"

namespace plumb::inductor {
namespace {

using Path = std::vector<std::string>;

TEST(Together, APathOfSeveralProgramsIsSharedOutOnlyWhereAllAreTheSame) {
  EXPECT_EQ(repeated_part({}, 3), Path{});
  EXPECT_EQ(repeated_part({"mm", "add", "mm", "add"}, 2), (Path{"mm", "add"}));
  EXPECT_EQ(repeated_part({"mm", "mm", "mm"}, 3), Path{"mm"});
  EXPECT_EQ(repeated_part({"mm", "mm", "mm"}, 2), std::nullopt);
  EXPECT_EQ(repeated_part({"mm", "addmm"}, 2), std::nullopt);
}

Calls calls_for(const std::string& op, const Inputs& inputs) {
  const Program program = operator_program(*operator_named(op));
  return calls_of(traced_graph(program, inputs), tensors_of(inputs));
}

TEST(Together, SizesAndNumbersMayDifferButNotOperatorsTypesAndWhichArgumentsAreThere) {
  const at::Tensor x = at::ones({2, 4});
  const at::Tensor w = at::ones({3, 4});
  const std::vector<Calls> programs = {
      calls_for("aten::linear", {{"input", x}, {"weight", w}}),
      calls_for("aten::linear", {{"input", x}, {"weight", w}, {"bias", at::ones({3})}}),
      calls_for("aten::linear", {{"input", at::ones({9, 7})}, {"weight", at::ones({1, 7})}}),
      calls_for("aten::linear", {{"input", x.to(at::kDouble)}, {"weight", w.to(at::kDouble)}}),
      calls_for("aten::softmax.int", {{"self", x}, {"dim", 0}}),
      calls_for("aten::softmax.int", {{"self", at::ones({5})}, {"dim", -1}}),
  };
  const auto groups = alike(programs);
  EXPECT_THAT(groups,
              testing::UnorderedElementsAre(testing::ElementsAre(0, 2), testing::ElementsAre(1),
                                            testing::ElementsAre(3), testing::ElementsAre(4, 5)));
}

}  // namespace
}  // namespace plumb::inductor
