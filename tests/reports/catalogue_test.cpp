#include "reports/catalogue.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Catalogue, AListOfNothingSaysSo) {
  EXPECT_EQ(catalogue_text("scenarios", Json::array()), "none: this build has no scenarios\n");
}

TEST(Catalogue, AnEntrySaysWhyItIsNotHere) {
  const Json here{{"name", "a"}, {"about", "is here"}, {"available", true}, {"why", ""}};
  const Json gone{{"name", "long"}, {"about", "is not"}, {"available", false}, {"why", "no disk"}};
  EXPECT_EQ(catalogue_text("variants", {here, gone}),
            "a     is here\nlong  is not (not here: no disk)\n");
}

}  // namespace
}  // namespace plumb
