#include "findings/trigger.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

TEST(Trigger, TheIntervalIsExactToTheLastBit) {
  const float low = 88.72284f, high = 89.41f;
  const auto found = triggers_of(vector_case({0, 89}), 3, 100, [&](const Json& candidate) {
    const double value = round_to(Format::f32, numbers(candidate)[1]);
    return numbers(candidate)[0] == 0 && value >= low && value <= high;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].argument, "self");
  EXPECT_EQ(static_cast<float>(number_of(found[0].low)), low);
  EXPECT_EQ(static_cast<float>(number_of(found[0].high)), high);
  EXPECT_EQ(found[0].value, 89);
}

TEST(Trigger, EndsAtTheGreatestFiniteValue) {
  const auto found = triggers_of(vector_case({1e20}), 1, 100, [](const Json& candidate) {
    return numbers(candidate)[0] >= 1e19;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(round_to(Format::f32, number_of(found[0].high)), traits(Format::f32).max_finite);
}

TEST(Trigger, WhatFailsWhateverItIsHasNone) {
  EXPECT_TRUE(triggers_of(vector_case({2.5}), 1, 200, [](const Json&) { return true; }).empty());
}

TEST(Trigger, CrossesZero) {
  const auto found = triggers_of(vector_case({2}), 1, 200, [](const Json& candidate) {
    return std::abs(numbers(candidate)[0]) <= 3;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].low, -3);
  EXPECT_EQ(found[0].high, 3);
}

TEST(Trigger, ElementsWithOneValueMoveTogether) {
  const auto found = triggers_of(vector_case({5, 5, 0}), 3, 100, [](const Json& candidate) {
    const auto v = numbers(candidate);
    return v[0] == v[1] && v[0] > 4 && v[2] == 0;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, 5);
}

TEST(Trigger, AsksNoMoreThanItMay) {
  for (const int most : {0, 1, 4, 17}) {
    int asked = 0;
    const auto found = triggers_of(
        vector_case({5, 7, 9}), 3, 100,
        [&](const Json& candidate) {
          ++asked;
          return numbers(candidate)[0] > 4;
        },
        most);
    EXPECT_LE(asked, most);
    EXPECT_LE(found.size(), 1u);
  }
}

TEST(Trigger, ScalarArgumentsToo) {
  const Json stored = fake_case({{"self", {{"data", {0}}}}, {"beta", 2.5}});
  const auto found = triggers_of(stored, 1, 100, [](const Json& candidate) {
    return number_of(candidate["args"]["beta"]) > 2;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].argument, "beta");
}

}  // namespace
}  // namespace plumb
