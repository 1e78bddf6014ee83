#include <cmath>

#include <gtest/gtest.h>

#include "findings/passes.hpp"
#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

bool has_nan(const Json& stored) {
  return any_number(stored, [](double value) { return std::isnan(value); });
}

TEST(ShrinkSizes, OneNaNAmong100IsWhatStays) {
  std::vector<double> values(100, 1.0);
  values[73] = NAN;
  Search search(vector_case(values), 200, has_nan);
  shrink_sizes(search);
  EXPECT_EQ(search.best()["args"]["self"], (Json{{"data", "nan"}}));
}

TEST(ShrinkSizes, TensorsAndListsThatShareASizeShrinkTogether) {
  const Json row = {1, 2, "nan", 4};
  Search search(fake_case({{"self", {{"data", {row, row}}}},
                           {"weight", {{"data", {1, 1, 1, 1}}}},
                           {"normalized_shape", {4}}}),
                200, [](const Json& candidate) {
                  const Json& args = candidate["args"];
                  const auto shape = draft_of(args["self"]).shape;
                  const auto weight = draft_of(args["weight"]).shape;
                  return shape.size() == 2 && weight == std::vector{shape[1]} &&
                         args["normalized_shape"] == Json::array({shape[1]}) && has_nan(candidate);
                });
  shrink_sizes(search);
  EXPECT_EQ(search.best()["args"]["self"]["data"], Json::parse(R"([["nan"]])"));
  EXPECT_EQ(search.best()["args"]["normalized_shape"], Json::array({1}));
}

TEST(ShrinkSizes, DimensionsThatOnlyHappenToAgreeShrinkAlone) {
  Search search(
      fake_case({{"self", {{"data", {1, 2, 3}}}}, {"other", {{"data", {1, 2, 3}}}}}), 200,
      [](const Json& candidate) { return draft_of(candidate["args"]["self"]).values.size() == 3; });
  shrink_sizes(search);
  EXPECT_EQ(draft_of(search.best()["args"]["other"]).values.size(), 1u);
}

TEST(ShrinkSizes, OfADrawnTensorTheShapeAlone) {
  Search search(fake_case({{"self", {{"shape", {1000, 1000}}, {"fill", "normal"}}}}), 200,
                [](const Json& candidate) { return element_count(candidate) >= 5; });
  shrink_sizes(search);
  EXPECT_LE(element_count(search.best()), 9);
  EXPECT_EQ(search.best()["args"]["self"]["fill"], "normal");
}

TEST(ShrinkSizes, StridesFollow) {
  Search search(
      fake_case(
          {{"self", {{"data", {Json::array({1, 2}), Json::array({3, 4})}}, {"strides", {4, 2}}}}}),
      200, [](const Json& candidate) { return candidate["args"]["self"].contains("strides"); });
  shrink_sizes(search);
  const TensorDraft draft = draft_of(search.best()["args"]["self"]);
  EXPECT_EQ(draft.rest["strides"].size(), draft.shape.size());
}

}  // namespace
}  // namespace plumb
