#include "sweep/sweep_case.hpp"

#include <set>

#include <gtest/gtest.h>

#include "harness/case.hpp"
#include "sweep/targets.hpp"

namespace plumb {
namespace {

std::vector<Plan> plans_of(const char* name) {
  std::string ignored;
  return plans_for({targets({name}).front().handle}, ignored);
}

TEST(SweepCase, IsTheSameForTheSameSeedAndIndexAndAnotherForAnother) {
  const auto plans = plans_of("aten::exp");
  const CaseSource source{.op = "aten::exp", .dtype = "float32", .seed = 3};
  CaseSource other = source;
  other.seed = 4;
  EXPECT_EQ(sweep_case(source, plans, 5), sweep_case(source, plans, 5));
  EXPECT_NE(sweep_case(source, plans, 5), sweep_case(source, plans, 6));
  EXPECT_NE(sweep_case(source, plans, 5), sweep_case(other, plans, 5));
}

TEST(SweepCase, EveryOneIsACaseThatPlumbReads) {
  for (const char* op : {"aten::exp", "aten::linear", "aten::gather", "aten::cat"}) {
    const auto plans = plans_of(op);
    ASSERT_FALSE(plans.empty()) << op;
    for (const char* dtype : {"float32", "float16", "bfloat16", "float64"}) {
      for (int i = 0; i < 30; ++i) {
        const Json json = sweep_case({.op = op, .dtype = dtype}, plans, i);
        EXPECT_NO_THROW(case_from_json(json, "sweep")) << json;
      }
    }
  }
}

TEST(SweepCase, GoesThroughAllProgramsLengthsAndLayouts) {
  const auto plans = plans_of("aten::exp");
  std::set<std::string> fills;
  std::set<std::int64_t> lengths;
  bool strided = false;
  for (int i = 0; i < 60; ++i) {
    const Json self = sweep_case({.op = "aten::exp", .dtype = "float32"}, plans, i)["args"]["self"];
    fills.insert(self["fill"].dump() + self["params"].dump());
    lengths.insert(self["shape"].back().get<std::int64_t>());
    strided = strided || self.contains("strides");
  }
  EXPECT_GE(fills.size(), value_programs().size());
  EXPECT_TRUE(lengths.contains(1) && lengths.contains(16) && lengths.contains(17));
  EXPECT_TRUE(strided);
}

}  // namespace
}  // namespace plumb
