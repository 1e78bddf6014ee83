#include "harness/trace.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

using Names = std::vector<std::string>;

TEST(Trace, RecordsOperatorsInOrderWithTheirCallees) {
  const Trace trace;
  at::softmax(at::ones({2}), 0);
  std::string why;
  EXPECT_TRUE(path_matches(trace.path(), {"aten::ones", "aten::softmax", "aten::_softmax"}, why));
}

TEST(Trace, TakesNamesOfWhatRanElsewhere) {
  put_on_path({"unseen"});
  const Trace trace;
  at::ones({1}).exp();
  put_on_path({"a", "b"});
  Names path = trace.path();
  ASSERT_GE(path.size(), 3U);
  EXPECT_EQ(Names(path.end() - 2, path.end()), (Names{"a", "b"}));
  EXPECT_EQ(std::find(path.begin(), path.end(), "unseen"), path.end());
}

TEST(Trace, EndsWithItsLife) {
  Names path;
  {
    const Trace trace;
    at::ones({1}).exp();
    path = trace.path();
  }
  at::ones({1}).log();
  const Trace fresh;
  EXPECT_TRUE(fresh.path().empty());
  std::string why;
  EXPECT_TRUE(path_matches(path, {"aten::exp", "!aten::log"}, why)) << why;
}

TEST(Path, MatchesNamesInOrderAndRefusesForbiddenOnes) {
  const Names path{"a", "b", "c", "b"};
  std::string why;
  EXPECT_TRUE(path_matches(path, {}, why));
  EXPECT_TRUE(path_matches(path, {"a", "c"}, why));
  EXPECT_TRUE(path_matches(path, {"b", "b"}, why));
  EXPECT_FALSE(path_matches(path, {"c", "a"}, why));
  EXPECT_NE(why.find("a did not run"), std::string::npos) << why;
  EXPECT_FALSE(path_matches(path, {"!c"}, why));
  EXPECT_NE(why.find("c ran"), std::string::npos) << why;
}

TEST(Path, HashDependsOnOrderAndEveryName) {
  EXPECT_EQ(path_hash({"a", "b"}), path_hash({"a", "b"}));
  EXPECT_NE(path_hash({"a", "b"}), path_hash({"b", "a"}));
  EXPECT_NE(path_hash({"ab"}), path_hash({"a", "b"}));
}

TEST(Path, RepeatsAreFoldedForThePerson) {
  EXPECT_EQ(readable_path({"a", "a", "a", "b"}), (Names{"a x3", "b"}));
  EXPECT_EQ(readable_path({"a", "b", "c", "d"}, 2), (Names{"a", "… 3 more"}));
}

TEST(Trace, WhatRunsInAPauseIsOnNoPath) {
  const at::Tensor x = at::ones({2});
  const Trace trace;
  {
    const TracePause pause;
    x.exp();
  }
  x.sin();
  EXPECT_EQ(trace.path(), std::vector<std::string>{"aten::sin"});
}

}  // namespace
}  // namespace plumb
