#include "harness/errors.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Errors, NearestIsTheCandidateWithTheFewestEdits) {
  const std::vector<std::string> names{"softmax", "log_softmax", "layer_norm"};
  EXPECT_EQ(nearest("softmx", names), "softmax");
  EXPECT_EQ(nearest("log_sotfmax", names), "log_softmax");
  EXPECT_EQ(nearest("layernorm", names), "layer_norm");
  EXPECT_EQ(nearest("softmax", names), "softmax");
}

TEST(Errors, NearestTakesTheFirstOnTies) {
  const std::vector<std::string> names{"cat", "bat"};
  EXPECT_EQ(nearest("hat", names), "cat");
  EXPECT_EQ(nearest("", names), "cat");
}

TEST(Errors, SwappedNeighboursAreOneEdit) {
  const std::vector<std::string> names{"abcd", "badc"};
  EXPECT_EQ(nearest("abdc", names), "abcd");
}

TEST(Errors, NearestOfNothingIsEmpty) { EXPECT_EQ(nearest("x", {}), ""); }

TEST(Errors, ASuggestionIsTheNearestOnlyWhereItIsNear) {
  const std::vector<std::string> names{"fp32", "fp64", "quad"};
  EXPECT_EQ(suggestion("fp63", names), "; nearest is 'fp64'");
  EXPECT_EQ(suggestion("zzzzzzzzz", names), "; expected one of fp32, fp64, quad");
  EXPECT_EQ(suggestion("x", std::vector<std::string>{"eager"}), "; expected eager");
  EXPECT_EQ(suggestion("x", {}), "");
  EXPECT_EQ(suggestion("zzzz", std::vector<std::string>(100, "name")), "");
}

TEST(Errors, QuotedNamesArePrintableAndShort) {
  EXPECT_EQ(quote_name("query"), "\"query\"");
  EXPECT_EQ(quote_name("a\nb\x1b[0m\xff"), "\"a?b?[0m?\"");
  EXPECT_EQ(quote_name(std::string(200, 'x')), "\"" + std::string(80, 'x') + "…\"");
}

}  // namespace
}  // namespace plumb
