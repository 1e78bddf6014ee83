#include "sweep/targets.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

std::string why_not(const std::string& name) {
  for (const Target& target : targets({name})) {
    if (target.name == name) return target.why_not.value_or("");
  }
  return "no such operator";
}

TEST(Targets, APatternMeansAtenUnlessItSaysOtherwise) {
  ASSERT_EQ(targets({"exp"}).size(), 2u);  // exp and exp.out
  EXPECT_EQ(targets({"exp"}).front().name, "aten::exp");
  EXPECT_EQ(targets({"aten::softmax.int"}).size(), 1u);
  EXPECT_GT(targets({"soft*"}).size(), 5u);
  EXPECT_TRUE(targets({"mylib::*"}).empty());
}

TEST(Targets, WhatIsNotSweptHasItsReason) {
  EXPECT_EQ(why_not("aten::exp"), "");
  EXPECT_EQ(why_not("aten::exp_"), "writes to its arguments; judged as its functional twin");
  EXPECT_EQ(why_not("aten::transpose.int"), "a view only");
  EXPECT_EQ(why_not("aten::bernoulli"), "random");
  EXPECT_EQ(why_not("aten::ones"), "takes no tensor");
  EXPECT_EQ(why_not("aten::allclose"), "returns no tensor");
  EXPECT_EQ(why_not("aten::gelu_backward"), "judged as a gradient of its forward operator");
}

TEST(Targets, NamesAreSorted) {
  const auto all = targets({});
  EXPECT_GT(all.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const Target& a, const Target& b) { return a.name < b.name; }));
}

}  // namespace
}  // namespace plumb
