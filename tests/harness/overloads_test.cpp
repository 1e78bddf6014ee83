#include "harness/overloads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

std::vector<std::string> names(const std::string& base) {
  std::vector<std::string> found;
  for (const auto& op : overloads_of(base)) found.push_back(op.operator_name().overload_name);
  return found;
}

TEST(Overloads, AreSortedAndLeaveOutThoseThatWriteToABuffer) {
  EXPECT_THAT(names("aten::softmax"), testing::Contains("int"));
  EXPECT_THAT(names("aten::add"), testing::Not(testing::Contains(testing::EndsWith("out"))));
  EXPECT_EQ(names("aten::add"), names("aten::add"));
}

TEST(Overloads, OfAnUnknownNameThereAreNone) { EXPECT_TRUE(names("aten::no_such").empty()); }

}  // namespace
}  // namespace plumb
