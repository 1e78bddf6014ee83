#include "findings/cause.hpp"

#include <gmock/gmock.h>

namespace plumb {
namespace {

using testing::ElementsAre;

/// finding.json of exp in f32 that overflows from `low` to `high`, but for what `changes` says.
Json record(double low, double high, const Json& changes = Json::object()) {
  Json json = {{"op", "aten::exp"},
               {"variant", "eager"},
               {"device", "cpu"},
               {"kind", "range-inf"},
               {"relation", nullptr},
               {"where", "output 0"},
               {"dtype", "float32"},
               {"trigger", {{{"argument", "self"}, {"value", low}, {"low", low}, {"high", high}}}}};
  json.update(changes);
  return json;
}

TEST(Cause, OneTypeFailsBetweenNumbersThatMeet) {
  EXPECT_THAT(causes_of({record(1, 2), record(5, 9), record(2, 3), record(6, 7)}),
              ElementsAre(0, 1, 0, 1));
}

TEST(Cause, OtherTypesFailElsewhere) {
  EXPECT_THAT(causes_of({record(88, 100), record(11, 20, {{"dtype", "float16"}}),
                         record(12, 13, {{"dtype", "float16"}})}),
              ElementsAre(0, 0, 0));
}

TEST(Cause, AnotherSymptomIsAnotherCause) {
  const Json none = Json::array();
  EXPECT_THAT(
      causes_of({record(1, 2), record(1, 2, {{"op", "aten::expm1"}}),
                 record(1, 2, {{"kind", "range-nan"}}), record(1, 2, {{"variant", "jit"}}),
                 record(1, 2, {{"device", "cuda"}}), record(1, 2, {{"relation", "scale"}}),
                 record(1, 2, {{"where", "grad:self"}}), record(1, 2, {{"trigger", none}})}),
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Cause, TheOutputAndTheArgumentOfTheGradientDoNotMatter) {
  EXPECT_THAT(
      causes_of({record(1, 2, {{"where", "grad:self"}}), record(1, 2),
                 record(1, 2, {{"where", "grad:weight"}}), record(1, 2, {{"where", "output 1"}})}),
      ElementsAre(0, 1, 0, 1));
}

TEST(Cause, FailuresThatHangOnOtherArgumentsAreOthers) {
  const auto of = [](const char* argument) {
    const Json trigger = {{"argument", argument}, {"value", 1}, {"low", "-inf"}, {"high", "inf"}};
    return record(0, 0, {{"trigger", Json::array({trigger})}});
  };
  EXPECT_THAT(causes_of({of("beta"), of("self"), of("beta")}), ElementsAre(0, 1, 0));
}

TEST(Cause, NothingHasNone) { EXPECT_THAT(causes_of({}), ElementsAre()); }

}  // namespace
}  // namespace plumb
