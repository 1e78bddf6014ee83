#include <cmath>

#include <gtest/gtest.h>

#include "findings/passes.hpp"
#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

double simplest(double value, const std::function<bool(double)>& fails) {
  Search search(vector_case({value}), 200,
                [&](const Json& candidate) { return any_number(candidate, fails); });
  simple_numbers(search);
  return numbers(search.best()).front();
}

TEST(SimpleNumbers, FewestBitsThenASimpleExponentThenAShortDecimal) {
  EXPECT_EQ(significant_bits(simplest(3.14159, [](double) { return true; })), 1);
  EXPECT_EQ(simplest(-5.4321, [](double v) { return v < -5 && v > -7; }), -6);
  EXPECT_EQ(number_literal(Format::f32, simplest(1.2345e20, [](double v) { return v > 1e20; }))
                .dump()
                .size(),
            5u);
}

TEST(SimpleNumbers, AWindowOfOnePercentIsKept) {
  const double found = simplest(88.7312, [](double v) { return v > 88.5 && v < 89; });
  EXPECT_GT(found, 88.5);
  EXPECT_LT(found, 89);
  EXPECT_LE(significant_bits(found), 10);
}

TEST(SimpleNumbers, WhatIsFragileStaysBitForBit) {
  const double value = 0x1.8ab2c6p3;
  EXPECT_EQ(round_to(Format::f32,
                     simplest(value, [&](double v) { return round_to(Format::f32, v) == value; })),
            value);
}

TEST(SimpleNumbers, IntegersGetSmallAndScalarsSimple) {
  Search search(fake_case({{"index", {{"dtype", "int64"}, {"data", {100, 3}}}}, {"alpha", 0.37}}),
                200, [](const Json& candidate) {
                  return candidate["args"]["index"]["data"][0] >= 20 &&
                         candidate["args"]["alpha"] > 0.3;
                });
  simple_numbers(search);
  EXPECT_EQ(search.best()["args"]["index"]["data"], Json::array({25, 0}));
  EXPECT_EQ(search.best()["args"]["alpha"], 0.375);
}

TEST(SimpleNumbers, ATensorOfManyNumbersIsRoundedAsAWhole) {
  std::vector<double> values;
  for (int i = 1; i <= 40; ++i) values.push_back(1 + i / 97.0);
  Search search(vector_case(values), 200, [](const Json&) { return true; });
  simple_numbers(search);
  EXPECT_LE(search.evaluations(), 10);
  for (const double value : numbers(search.best())) EXPECT_LE(significant_bits(value), 1);
}

}  // namespace
}  // namespace plumb
