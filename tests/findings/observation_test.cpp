#include "findings/observation.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/run.hpp"

namespace plumb {
namespace {

Json seen_in(const std::string& body) {
  const Case stored = case_from_json(Json::parse(R"({"schema":"plumb.case/1",)" + body + "}"), "t");
  return observed(stored, run_case(stored));
}

TEST(Observed, TheWorstElementWithWhatASoundKernelMayErr) {
  const Json seen =
      seen_in(R"("op":"aten::gelu","dtype":"float32","args":{"self":{"data":[[1,-5.5]]}})");
  EXPECT_EQ(seen["output"], "output 0");
  EXPECT_EQ(seen["index"], Json::array({0, 1}));
  EXPECT_NEAR(seen["right"].get<double>(), -1.0444e-7, 1e-11);
  EXPECT_GT(seen["bound"].get<double>(), 0);
  EXPECT_LT(seen["bound"].get<double>(), 1e-11);
}

TEST(Observed, OfClassesTheRequiredOne) {
  const Json seen =
      seen_in(R"("op":"aten::polygamma","dtype":"float32","args":{"n":1,"self":{"data":[-1]}})");
  EXPECT_EQ(seen["right"], "inf");
  EXPECT_EQ(seen["bound"], 0);
}

TEST(Observed, NothingWhereNothingIsWrongInOnePlace) {
  const Json seen = seen_in(R"("op":"aten::mm","args":{"self":{"data":[1]},"mat2":{"data":[1]}})");
  EXPECT_TRUE(seen.is_null());
}

}  // namespace
}  // namespace plumb
