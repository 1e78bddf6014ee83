#include "findings/call_text.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

std::string text(const char* json) { return call_text(Json::parse(json)); }

TEST(CallText, IsTheCallAsAPersonWouldWriteIt) {
  EXPECT_EQ(text(R"({"op":"aten::gelu","args":{"self":{"data":-5.5}}})"), "gelu(-5.5)");
  EXPECT_EQ(text(R"({"op":"aten::softmax.int","args":{"self":{"data":[[0,"inf"]]},"dim":-1}})"),
            "softmax.int([[0, inf]], dim=-1)");
  EXPECT_EQ(text(R"({"op":"mine::op","args":{"x":{"data":[1]},"y":null},"grad":["x"]})"),
            "mine::op([1], y=None); gradient of x");
  EXPECT_EQ(text(R"({"op":"aten::cat","args":{"tensors":[{"data":[1]},{"data":[2]}]}})"),
            "cat(tensors=[[1], [2]])");
}

TEST(CallText, OfLargeTensorsTypeAndShape) {
  EXPECT_EQ(text(R"({"op":"aten::exp","dtype":"float16","args":{"self":{"shape":[3,17],
                     "fill":"normal"}}})"),
            "exp(float16[3,17])");
}

}  // namespace
}  // namespace plumb
