#include "fuzz/features.hpp"

#include <gtest/gtest.h>

#include "harness/case.hpp"

namespace plumb {
namespace {

/// Lights cells for exp of some numbers and returns how many there were.
class FeaturesTest : public testing::Test {
 protected:
  bool see(const Json& data, std::size_t op = 0, const Genome& genome = {}) {
    std::fill(cells_.begin(), cells_.end(), 0);
    const Case stored = case_from_json({{"schema", "plumb.case/1"},
                                        {"op", "aten::exp"},
                                        {"dtype", "float32"},
                                        {"args", {{"self", {{"data", data}}}}}},
                                       "test");
    current_->begin(op);
    current_->see(genome, stored.subject.inputs, glance(stored.subject, 0));
    return current_->fresh();
  }

  std::size_t lit_now() const {
    return static_cast<std::size_t>(std::count(cells_.begin(), cells_.end(), 1));
  }

  std::vector<std::uint8_t> cells_ = std::vector<std::uint8_t>(Features::kCells);
  std::vector<std::uint8_t> known_ = std::vector<std::uint8_t>(Features::kCells);
  Features features_{cells_, known_};
  Features* current_ = &features_;
};

TEST_F(FeaturesTest, TheSameAgainIsNothingNew) {
  EXPECT_TRUE(see({1, 2, 3}));
  const std::size_t first = lit_now();
  EXPECT_GT(first, 5u);
  EXPECT_FALSE(see({1, 2, 3}));
  EXPECT_EQ(lit_now(), first);  // the engine reads them every time
  EXPECT_EQ(features_.lit(), first);
}

TEST_F(FeaturesTest, WhatIsKnownOutlivesAWorker) {
  see({1, 2, 3});
  const std::size_t lit = features_.lit();
  Features next(cells_, known_);
  EXPECT_EQ(next.lit(), lit);
  current_ = &next;
  EXPECT_FALSE(see({1, 2, 3}));
  EXPECT_TRUE(see({1, 2, 1e20}));
}

TEST_F(FeaturesTest, NewAreOtherExponentsTiesSignsAndLengths) {
  see({1, 2, 3});
  EXPECT_TRUE(see({1, 2, 1e20})) << "exponent";
  EXPECT_TRUE(see({3, 2, 3})) << "ties";
  EXPECT_TRUE(see({-1, 2, 3})) << "signs";
  EXPECT_TRUE(see({1, 2, 3, 3})) << "length";
  EXPECT_TRUE(see({1000, 1001, 1002})) << "offset";
  EXPECT_TRUE(see({100, 1, 1})) << "overflow";
}

TEST_F(FeaturesTest, AnotherOperatorHasCellsOfItsOwn) {
  see({1, 2, 3});
  EXPECT_TRUE(see({1, 2, 3}, 1));
  EXPECT_FALSE(see({1, 2, 3}, Features::kOperators));  // shares those of the first
}

TEST_F(FeaturesTest, VerdictAndPathOfTheHarnessCount) {
  see({1, 2, 3});
  Result row;
  row.verdict = Verdict::stable;
  row.path_hash = "0000abcd";
  features_.begin(0);
  features_.see(row);
  EXPECT_TRUE(features_.fresh());
  features_.begin(0);
  features_.see(row);
  EXPECT_FALSE(features_.fresh());
  row.path_hash = "0000abce";
  features_.see(row);
  EXPECT_TRUE(features_.fresh());
}

TEST_F(FeaturesTest, NumbersThatAreNoneAndEmptyTensorsLightWithinTheCells) {
  see(Json::array());
  see({"nan", "inf", "-inf"});
  see({0, 0, 0});
  see({3e38, 1e-45, -3e38});
  EXPECT_GT(features_.lit(), 0u);
}

}  // namespace
}  // namespace plumb
