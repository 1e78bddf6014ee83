#include "findings/inline_case.hpp"

#include <gtest/gtest.h>

#include "findings/draft.hpp"
#include "harness/case.hpp"
#include "harness/digest.hpp"

namespace plumb {
namespace {

std::string bits(const Json& stored) {
  Outputs tensors;
  case_from_json(stored, "test")
      .subject.inputs.each([&](const std::string& name, const at::Tensor& tensor) {
        tensors.push_back({name, tensor});
      });
  return digest(tensors);
}

TEST(InlineCase, HoldsTheSameBitsForEveryFillTypeAndLayout) {
  for (const char* dtype : {"float64", "float32", "bfloat16", "float16"}) {
    for (const char* fill : {"normal", "log-uniform", "near-overflow", "subnormal", "cancel"}) {
      const Json stored = {{"schema", "plumb.case/1"},
                           {"op", "aten::add"},
                           {"dtype", dtype},
                           {"seed", 3u},
                           {"args",
                            {{"self", {{"shape", {3, 5}}, {"fill", fill}, {"strides", {10, 2}}}},
                             {"other", {{"shape", {5}}, {"fill", fill}, {"view", {"neg"}}}}}}};
      const Json inlined = inline_case(stored, "test");
      EXPECT_EQ(bits(inlined), bits(stored)) << dtype << " " << fill;
      EXPECT_TRUE(inlined["args"]["self"].contains("data"));
      EXPECT_EQ(inlined["args"]["self"]["strides"], Json::array({10, 2}));
      EXPECT_EQ(inlined["op"], "aten::add.Tensor");
    }
  }
}

TEST(InlineCase, IntegersMasksComplexNumbersAndListsToo) {
  const Json stored = Json::parse(R"({"schema":"plumb.case/1","op":"aten::index_put","args":{
      "self":{"dtype":"complex64","shape":[4],"fill":"normal"},
      "indices":[{"dtype":"int64","shape":[2],"fill":"integers","params":{"low":0,"high":4}}],
      "values":{"dtype":"complex64","shape":[2],"fill":"uniform"},"accumulate":true}})");
  const Json inlined = inline_case(stored, "test");
  EXPECT_EQ(bits(inlined), bits(stored));
  EXPECT_EQ(inlined["args"]["indices"][0]["dtype"], "int64");
}

TEST(InlineCase, WhatIsTooLargeStaysDrawn) {
  const Json stored = {{"schema", "plumb.case/1"},
                       {"op", "aten::exp"},
                       {"args", {{"self", {{"shape", {100000}}, {"fill", "normal"}}}}}};
  EXPECT_EQ(inline_case(stored, "test"), stored);
}

}  // namespace
}  // namespace plumb
