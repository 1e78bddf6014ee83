#include "findings/draft.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Draft, ATensorComesBackAsItWas) {
  for (const char* text :
       {R"({"data":1.5})", R"({"data":[1,"nan","-inf"]})", R"({"data":[[1,2],[3,4]]})",
        R"({"dtype":"complex64","data":[[1,2],[3,4]]})", R"({"dtype":"bool","data":[true,false]})",
        R"({"data":[1,2],"strides":[2],"offset":1})", R"({"shape":[0,3],"data":[]})",
        R"({"shape":[3,17],"fill":"normal","params":{"std":2}})",
        R"({"safetensors":"x.safetensors","name":"q"})"}) {
    const Json spec = Json::parse(text);
    EXPECT_EQ(spec_of(draft_of(spec)), spec) << text;
  }
}

TEST(Draft, AComplexNumberIsOneValue) {
  const TensorDraft draft = draft_of(Json::parse(R"({"dtype":"complex64","data":[[1,2],[3,4]]})"));
  EXPECT_EQ(draft.shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(draft.values.size(), 2u);
  EXPECT_FALSE(draft.floating);
}

TEST(Draft, KeepsIndicesOfTheDimensionAskedFor) {
  TensorDraft draft = draft_of(Json::parse(R"({"data":[[1,2,3],[4,5,6]]})"));
  keep_indices(draft, 1, {0, 2});
  EXPECT_EQ(spec_of(draft)["data"], Json::parse("[[1,3],[4,6]]"));
  keep_indices(draft, 0, {1});
  EXPECT_EQ(spec_of(draft)["data"], Json::parse("[[4,6]]"));
  drop_dimension(draft, 0);
  EXPECT_EQ(spec_of(draft)["data"], Json::parse("[4,6]"));
}

TEST(Draft, ADroppedDimensionTakesItsStrideAlong) {
  TensorDraft draft = draft_of(Json::parse(R"({"data":[[1,2]],"strides":[7,2]})"));
  drop_dimension(draft, 0);
  EXPECT_EQ(spec_of(draft)["strides"], Json::parse("[2]"));
}

TEST(TensorPlaces, AreThoseOfArgumentsListsStepsAndTheCotangent) {
  const Json stored = Json::parse(R"({"args":{"a":{"data":[1,2]},"list":[{"data":[1]},null],"n":3},
      "inputs":{"x":{"data":[1]}},"steps":[{"args":{"self":"$x","other":{"data":[1]}}}],
      "cotangent":{"data":[1]}})");
  std::vector<std::string> names;
  for (const TensorPlace& place : tensor_places(stored)) names.push_back(place.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "list", "x", "steps[0].other", "cotangent"}));
  EXPECT_EQ(element_count(stored), 6);
}

TEST(NumberFormat, IsTheCasesUnlessTheTensorHoldsNoRealNumbers) {
  const Json half = {{"dtype", "float16"}};
  EXPECT_EQ(number_format(half, Json::object()), Format::f16);
  EXPECT_EQ(number_format(half, {{"dtype", "float64"}}), Format::f16);
  EXPECT_EQ(number_format(half, {{"dtype", "int64"}}), std::nullopt);
  EXPECT_EQ(number_format(Json::object(), {{"dtype", "float64"}}), Format::f64);
  EXPECT_EQ(number_format(Json::object(), Json::object()), Format::f32);
}

}  // namespace
}  // namespace plumb
