#include "findings/search.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace plumb {
namespace {

using Kept = std::vector<std::size_t>;

bool holds(const Kept& kept, std::size_t index) {
  return std::find(kept.begin(), kept.end(), index) != kept.end();
}

TEST(Reduced, OneOf257IsFoundInTwoDozenQuestions) {
  for (const std::size_t wanted : {0u, 100u, 256u}) {
    int asked = 0;
    const Kept kept = reduced(257, 1, 1000, [&](const Kept& part) {
      ++asked;
      return holds(part, wanted);
    });
    EXPECT_EQ(kept, Kept{wanted});
    EXPECT_LE(asked, 24);
  }
}

TEST(Reduced, TwoThatAreFarApartStayTogether) {
  const Kept kept =
      reduced(64, 1, 1000, [](const Kept& part) { return holds(part, 3) && holds(part, 60); });
  EXPECT_EQ(kept, (Kept{3, 60}));
}

TEST(Reduced, NothingIsEnoughWhereNothingIsNeeded) {
  EXPECT_TRUE(reduced(10, 0, 100, [](const Kept&) { return true; }).empty());
  EXPECT_EQ(reduced(10, 1, 100, [](const Kept&) { return true; }).size(), 1u);
}

TEST(Reduced, WhatNeedsAllOfItIsGivenUpAfterSixteenParts) {
  int asked = 0;
  const Kept kept = reduced(1000, 1, 100000, [&](const Kept&) {
    ++asked;
    return false;
  });
  EXPECT_EQ(kept.size(), 1000u);
  EXPECT_LT(asked, 70);
}

TEST(Reduced, AsksNoMoreThanItMay) {
  int asked = 0;
  reduced(1000, 1, 7, [&](const Kept&) {
    ++asked;
    return false;
  });
  EXPECT_EQ(asked, 7);
}

TEST(Search, KeepsTheBestAndCounts) {
  Search search({{"n", 10}}, 3, [](const Json& candidate) { return candidate["n"] > 4; });
  EXPECT_TRUE(search.attempt({{"n", 5}}));
  EXPECT_FALSE(search.attempt({{"n", 4}}));
  EXPECT_EQ(search.best()["n"], 5);
  EXPECT_EQ(search.evaluations(), 2);
}

TEST(Search, NeverAsksAboutACaseTwiceNorBeyondItsBudget) {
  int asked = 0;
  Search search({{"n", 0}}, 2, [&](const Json&) {
    ++asked;
    return false;
  });
  for (int i = 0; i < 3; ++i) search.attempt({{"n", 0}});
  EXPECT_EQ(asked, 0);  // the start itself
  for (int i = 0; i < 3; ++i) search.attempt({{"n", 1}});
  EXPECT_EQ(asked, 1);
  for (int n = 2; n < 9; ++n) search.attempt({{"n", n}});
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(search.exhausted());
}

}  // namespace
}  // namespace plumb
