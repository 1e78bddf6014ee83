#include "findings/minimize.hpp"

#include <gtest/gtest.h>

#include "findings/failure.hpp"
#include "findings/inline_case.hpp"
#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

const Bench kHere{.judge = [](const Json& stored) -> std::optional<Result> {
                    try {
                      return run_case(case_from_json(stored, "test"));
                    } catch (const InputError&) {
                      return std::nullopt;
                    }
                  },
                  .inlined = [](const Json& stored) { return inline_case(stored, "test"); }};

Json gelu_of_64() {
  Json data = Json::array();
  for (int i = 0; i < 64; ++i) data.push_back(i == 41 ? -5.5 : 0.25 + i / 50.0);
  return {{"schema", "plumb.case/1"},
          {"op", "aten::gelu"},
          {"dtype", "float32"},
          {"args", {{"self", {{"data", data}}}, {"approximate", "none"}}}};
}

TEST(Minimised, GeluOf64ValuesIsOneOf5Point5) {
  const Minimised result = minimised(gelu_of_64(), kHere, {});
  EXPECT_EQ(element_count(result.stored), 1);
  EXPECT_FALSE(result.stored["args"].contains("approximate"));
  EXPECT_EQ(result.row.verdict, Verdict::unstable);
  EXPECT_GE(*result.row.r, *result.found.r / 4);
  ASSERT_EQ(result.triggers.size(), 1u);
  const double low = number_of(result.triggers[0].low), high = number_of(result.triggers[0].high);
  EXPECT_LT(low, -5.3);
  EXPECT_GT(high, -5);
  EXPECT_LT(high, -1);  // gelu is fine at small arguments
}

TEST(Minimised, IsTheSameTwiceAndKeepsToItsBudget) {
  const Minimised first = minimised(gelu_of_64(), kHere, {.evaluations = 30, .triggers = 0});
  const Minimised second = minimised(gelu_of_64(), kHere, {.evaluations = 30, .triggers = 0});
  EXPECT_EQ(first.stored, second.stored);
  EXPECT_LE(first.evaluations, 30);
}

TEST(Minimised, JudgesNoMoreCasesThanItMay) {
  Json stored = gelu_of_64();
  stored["grad"] = {"self"};
  for (const int most : {1, 2, 5, 30, 200}) {
    int judged = 0;
    const Bench counting{.judge =
                             [&](const Json& candidate) {
                               ++judged;
                               return kHere.judge(candidate);
                             },
                         .inlined = kHere.inlined};
    EXPECT_EQ(minimised(stored, counting, {.evaluations = most}).evaluations, judged);
    EXPECT_LE(judged, most);
  }
}

TEST(Minimised, AForwardFailureNeedsNoGradient) {
  Json stored = gelu_of_64();
  stored["grad"] = {"self"};
  const Minimised result = minimised(stored, kHere, {.triggers = 0});
  ASSERT_EQ(result.row.where, "output 0");
  EXPECT_FALSE(result.stored.contains("grad"));
  EXPECT_EQ(path_steps(result.row.path), std::vector<std::string>{"aten::gelu"});
}

TEST(Minimised, ADrawnCaseIsWrittenDownFirst) {
  const Json stored = {{"schema", "plumb.case/1"},
                       {"op", "aten::layer_norm"},
                       {"dtype", "float32"},
                       {"seed", 5u},
                       {"args",
                        {{"input",
                          {{"shape", {3, 33}},
                           {"fill", "log-uniform"},
                           {"params", {{"min_exponent", 80}, {"max_exponent", 90}}}}},
                         {"normalized_shape", {33}},
                         {"weight", {{"shape", {33}}, {"fill", "normal"}}}}}};
  const Minimised result = minimised(stored, kHere, {});
  EXPECT_EQ(result.row.verdict, result.found.verdict);
  EXPECT_TRUE(is_failure(result.found.verdict));
  EXPECT_LE(element_count(result.stored), 9);  // one more than a vector of the kernel
  EXPECT_FALSE(result.stored["args"].contains("weight"));
  EXPECT_EQ(result.stored["args"]["normalized_shape"].size(), 1u);
}

TEST(Minimised, WhatDoesNotFailComesBackAsItIs) {
  Json stored = gelu_of_64();
  stored["op"] = "aten::exp";
  stored["args"].erase("approximate");
  const Minimised result = minimised(stored, kHere, {});
  EXPECT_FALSE(is_failure(result.found.verdict));
  EXPECT_EQ(result.stored, stored);
}

TEST(Minimised, CoshInBfloat16FailsFromWhereItOverflows) {
  // By planted rule instead of torch's kernel: infinite where |x| > 88.
  const Bench planted{.judge = [](const Json& stored) -> std::optional<Result> {
                        Result row;
                        row.op = "aten::cosh";
                        row.where = "output 0";
                        const bool bad = any_number(stored, [](double x) { return x > 88; });
                        row.verdict = bad ? Verdict::nonfinite : Verdict::stable;
                        return row;
                      },
                      .inlined = [](const Json& stored) { return stored; }};
  Json stored = vector_case({1, 2, 89.5});
  stored["dtype"] = "bfloat16";
  const Minimised result = minimised(stored, planted, {});
  ASSERT_EQ(result.triggers.size(), 1u);
  EXPECT_EQ(number_of(result.triggers[0].low), 88.5);  // the bfloat16 after 88
}

}  // namespace
}  // namespace plumb
