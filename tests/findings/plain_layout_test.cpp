#include <gtest/gtest.h>

#include "findings/passes.hpp"
#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

const Json kStrided = {{"data", {1, 2}}, {"strides", {2}}, {"offset", 3}, {"view", {"neg"}}};

TEST(PlainLayout, AllOfItGoesWhereNoneIsNeeded) {
  Search search(fake_case({{"self", kStrided}, {"other", kStrided}}), 100,
                [](const Json&) { return true; });
  plain_layout(search);
  EXPECT_EQ(search.best()["args"]["self"], (Json{{"data", {1, 2}}}));
  EXPECT_EQ(search.evaluations(), 1);
}

TEST(PlainLayout, WhatIsNeededStays) {
  Search search(
      fake_case({{"self", kStrided}, {"other", kStrided}}), 100,
      [](const Json& candidate) { return candidate["args"]["self"].contains("strides"); });
  plain_layout(search);
  EXPECT_EQ(search.best()["args"]["self"], (Json{{"data", {1, 2}}, {"strides", {2}}}));
  EXPECT_EQ(search.best()["args"]["other"], (Json{{"data", {1, 2}}}));
}

}  // namespace
}  // namespace plumb
