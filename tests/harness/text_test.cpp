#include "harness/text.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/registry.hpp"

namespace plumb {
namespace {

TEST(Text, TheShortestDecimalReadsBackTheSame) {
  for (const double x : {0.1, 1e300, 5e-324, -0.0, 123456789.0}) {
    EXPECT_EQ(std::stod("0") + std::strtod(shortest(x).c_str(), nullptr), x);
  }
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(NAN), "nan");
  EXPECT_EQ(shortest(-INFINITY), "-inf");
}

TEST(Text, NumbersAreShortAndReadable) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(1), "1");
  EXPECT_EQ(number(0.3125), "0.312");
  EXPECT_EQ(number(31234.5), "31234");
  EXPECT_EQ(number(99999.9), "100000");
  EXPECT_EQ(number(1234567), "1.23e6");
  EXPECT_EQ(number(1e100), "1e100");
  EXPECT_EQ(number(-0.00098), "-9.8e-4");
  EXPECT_EQ(number(5e-324), "4.94e-324");
  EXPECT_EQ(number(-INFINITY), "-inf");
  EXPECT_EQ(number(NAN), "NaN");
}

TEST(Text, WordsAreQuotedForTheShellOnlyWhereTheyMustBe) {
  EXPECT_EQ(shell_quoted("fp16-no-scaler"), "fp16-no-scaler");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("$(rm)"), "'$(rm)'");
}

TEST(Text, SplittingDropsEmptyWords) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split("", ',').empty());
  EXPECT_EQ(joined({"a", "b"}, "-"), "a-b");
}

TEST(Text, GlobsMatchWholeNames) {
  EXPECT_TRUE(glob_matches("fp16-*", "fp16-no-scaler"));
  EXPECT_FALSE(glob_matches("fp16", "fp16-no-scaler"));
}

struct Thing {
  std::string name;
};

TEST(Registry, KeepsNamesSortedAndRefusesTwins) {
  Registry<Thing> registry;
  registry.add({"b"});
  registry.add({"a"});
  EXPECT_EQ(registry.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_THROW(registry.add({"a"}), std::logic_error);
  EXPECT_EQ(registry.find("c"), nullptr);
}

TEST(Text, SizesReadBackAsTheSameBytes) {
  EXPECT_EQ(size_text(std::uint64_t{4} << 30), "4GiB");
  EXPECT_EQ(size_text(std::uint64_t{1536} << 20), "1536MiB");
  EXPECT_EQ(size_text(1024), "1KiB");
  EXPECT_EQ(size_text(1536), "1.5KiB");
}

TEST(Text, CountsAgreeWithTheirNoun) {
  EXPECT_EQ(plural(1, "thread"), "1 thread");
  EXPECT_EQ(plural(0, "thread"), "0 threads");
}

}  // namespace
}  // namespace plumb
