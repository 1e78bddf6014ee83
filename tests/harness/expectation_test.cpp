#include "harness/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Expectation parsed(const std::string& text) {
  return parse_expectation(Json::parse(text), "x.json: expect");
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

at::Tensor truth(const std::string& values, const at::Tensor& output) {
  const Expectation expect = parsed(R"({"values":)" + values + "}");
  return truths_from_values(expect, {{"output 0", output}}, {}, "x.json: expect.values")[0].hi;
}

std::string value_refusal(const std::string& values, const at::Tensor& output) {
  try {
    truth(values, output);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Expectation, ATolerancePassesNotEverything) {
  for (const std::string key : {"ulp", "rel"}) {
    for (const std::string value : {"-1", "\"nan\"", "\"inf\"", "true", "null", "[]"}) {
      EXPECT_THAT(refusal(R"({"values":1,")" + key + "\":" + value + "}"),
                  AllOf(StartsWith("x.json: expect." + key), HasSubstr("0 or more")))
          << value;
    }
    EXPECT_EQ(refusal(R"({"values":1,")" + key + "\":0}"), "accepted");
  }
}

TEST(Expectation, AnOlderTorchMayStillHaveTheDefect) {
  const auto verdict = [](const std::string& before) {
    return parsed(R"({"verdict": ["stable"], "before": )" + before + "}").verdicts.front();
  };
  EXPECT_EQ(verdict(R"({"1.0": ["nonfinite"]})"), "stable");
  EXPECT_EQ(verdict(R"({"99.0": ["nonfinite"]})"), "nonfinite");
  EXPECT_EQ(verdict(R"({"99.0": ["nonfinite"], "98.2": ["masked"], "1.0": ["error"]})"), "masked");
  EXPECT_THROW(verdict(R"({"99": ["nonfinite"]})"), InputError);
  EXPECT_THROW(verdict(R"({"99.0": ["nonfinte"]})"), InputError);
  EXPECT_THROW(verdict(R"(["nonfinite"])"), InputError);
}

TEST(Expectation, ATextThatIsRaisedExpectsAnError) {
  EXPECT_THAT(parsed(R"({"raises":"too large"})").verdicts, testing::ElementsAre("error"));
  EXPECT_THAT(refusal(R"({"raises":"x","verdict":["stable"]})"),
              AllOf(StartsWith("x.json: expect.raises"), HasSubstr("error")));
  EXPECT_THAT(refusal(R"({"raises":""})"), HasSubstr("some text"));
  EXPECT_EQ(refusal(R"({"raises":"x","verdict":["error"]})"), "accepted");
}

TEST(Expectation, NullIsNoValue) {
  EXPECT_THAT(refusal(R"({"values":null})"), HasSubstr("not null"));
}

TEST(Expectation, AnIntegerOutputHasIntegersForValues) {
  const at::Tensor one = at::tensor({1}, at::kLong);
  for (const std::string value : {"1.9", "1.0", "\"nan\"", R"({"le":1.5})", R"({"ge":0.5})",
                                  R"({"any":[1,2.5]})", "9223372036854775808"}) {
    EXPECT_THAT(value_refusal("[" + value + "]", one),
                AllOf(StartsWith("x.json: expect.values"), HasSubstr("expected an integer")))
        << value;
  }
  EXPECT_EQ(truth("[1]", one).item<std::int64_t>(), 1);
  EXPECT_EQ(truth("[9223372036854775807]", one).item<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(truth("[true]", one).item<std::int64_t>(), 1);
  EXPECT_EQ(truth(R"([{"le":0}])", one).item<std::int64_t>(), 0);
  EXPECT_EQ(truth(R"([{"ge":0}])", one).item<std::int64_t>(), 1);
  EXPECT_EQ(truth(R"([{"any":[5,1]}])", one).item<std::int64_t>(), 1);
  EXPECT_EQ(truth(R"(["*"])", one).item<std::int64_t>(), 1);
}

TEST(Expectation, AnIntegerThatTheTypeCannotHoldIsRefusedWithTheRange) {
  EXPECT_THAT(value_refusal("[300]", at::tensor({44}, at::kChar)),
              AllOf(HasSubstr("-128 to 127"), HasSubstr("int8"), HasSubstr("300")));
  EXPECT_THAT(value_refusal("[2]", at::ones({1}, at::kBool)), HasSubstr("0 to 1"));
}

TEST(Expectation, ChoicesOfFloatsKeepNaNAndTheSignOfZero) {
  const at::Tensor zero = at::tensor({-0.0}, at::kDouble);
  EXPECT_TRUE(std::signbit(truth("[{\"any\":[0.0,-0.0]}]", zero).item<double>()));
  const at::Tensor nan = at::tensor({NAN}, at::kDouble);
  EXPECT_TRUE(std::isnan(truth("[{\"any\":[1,\"nan\"]}]", nan).item<double>()));
  EXPECT_EQ(truth("[{\"any\":[\"nan\",3,1]}]", at::tensor({1.5}, at::kDouble)).item<double>(), 1);
  EXPECT_EQ(truth(R"([{"le":1}])", nan).item<double>(), 1);
  EXPECT_THAT(value_refusal(R"([{"le":"nan"}])", nan), HasSubstr("not NaN"));
}

}  // namespace
}  // namespace plumb
