#include "harness/json_fields.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ReadJsonFile, APipeOrDeviceIsRefusedAtOnce) {
  EXPECT_THROW(read_json_file("/dev/zero"), InputError);
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonFields, NestingIsLimitedBeforeAnythingWalksIt) {
  EXPECT_EQ(parse_json(nested(64), "x.json").dump(), nested(64));
  for (const std::size_t depth : {65, 100'000, 5'000'000}) {
    EXPECT_THAT(refusal([&] { parse_json(nested(depth), "x.json"); }),
                AllOf(StartsWith("x.json"), HasSubstr("64 deep")));
  }
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"any":)";
  EXPECT_THAT(refusal([&] { parse_json(objects, "x.json"); }), HasSubstr("64 deep"));
}

TEST(JsonFields, AKeyThatStandsTwiceIsRefused) {
  EXPECT_THAT(refusal([] { parse_json(R"({"a":{"b":1,"c":2,"b":3}})", "x.json"); }),
              AllOf(StartsWith("x.json"), HasSubstr("\"b\" stands twice")));
  EXPECT_EQ(parse_json(R"([{"a":1,"b":{"a":2}},{"a":3}])", "x.json").size(), 2u);
}

TEST(JsonFields, WidthIsNotDepth) {
  std::string wide = "[";
  for (int i = 0; i < 100'000; ++i) wide += R"({"any":[1]},)";
  EXPECT_EQ(parse_json(wide + "0]", "x.json").size(), 100'001u);
}

TEST(JsonFields, BrokenTextAndNumbersNameTheFile) {
  EXPECT_THAT(refusal([] { parse_json("{\"a\": }", "x.json"); }), StartsWith("x.json: broken"));
  EXPECT_THAT(refusal([] { parse_json("[1e400]", "x.json"); }),
              AllOf(StartsWith("x.json: "), HasSubstr("float64")));
  EXPECT_THAT(refusal([] { read_json_file("/tmp"); }), HasSubstr("not a folder"));
  EXPECT_THAT(refusal([] { read_json_file("/nowhere.json"); }), HasSubstr("cannot be read"));
}

TEST(JsonFields, IntegersDoNotWrap) {
  EXPECT_EQ(integer(parse_json("9223372036854775807", ""), "x"), INT64_MAX);
  EXPECT_THAT(refusal([] { integer(parse_json("9223372036854775808", ""), "x: dim"); }),
              AllOf(StartsWith("x: dim: "), HasSubstr("2^63-1")));
  EXPECT_THAT(refusal([] { integer(parse_json("1.0", ""), "x: dim"); }), HasSubstr("an integer"));
  EXPECT_EQ(natural(parse_json("18446744073709551615", ""), "x"), UINT64_MAX);
  EXPECT_THAT(refusal([] { natural(parse_json("-1", ""), "x: seed"); }), HasSubstr("2^64-1"));
}

TEST(JsonFields, WhatWasFoundIsKeptShort) {
  EXPECT_LT(excerpt(Json(std::string(1000, 'x'))).size(), 100u);
  EXPECT_EQ(excerpt(parse_json("[1,2]", "")), "an array");
}

}  // namespace
}  // namespace plumb
