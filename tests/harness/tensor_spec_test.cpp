#include "harness/tensor_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

at::Tensor read(const std::string& spec) {
  return tensor_from_json(Json::parse(spec), "self", {}, "x.json: args.self");
}

std::string refusal(const std::string& spec) {
  try {
    read(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TensorSpecLayout, ElementsThatShareAPlaceMustBeEqual) {
  EXPECT_THAT(refusal(R"({"data":[[1,2],[3,4]],"strides":[1,1]})"),
              AllOf(StartsWith("x.json: args.self.strides"), HasSubstr("share their place")));
  EXPECT_THAT(refusal(R"({"data":[[1,2],[3,4]],"strides":[0,1]})"), HasSubstr("share their place"));
  EXPECT_TRUE(read(R"({"data":[[1,2],[2,3]],"strides":[1,1]})")
                  .equal(at::tensor({1., 2., 2., 3.}, at::kFloat).reshape({2, 2})));
  EXPECT_TRUE(read(R"({"data":[["nan",2],["nan",2]],"strides":[0,1]})")[1][0].isnan().item<bool>());
}

TEST(TensorSpecLayout, DrawnValuesMayShareAPlace) {
  const at::Tensor x = read(R"({"shape":[3,2],"fill":"normal","strides":[0,1]})");
  EXPECT_TRUE(x[0].equal(x[2]));
}

TEST(TensorSpecLayout, AnEmptyTensorHasSizesOfReasonToo) {
  EXPECT_EQ(read(R"({"shape":[0,7],"fill":"normal"})").numel(), 0);
  EXPECT_THAT(refusal(R"({"shape":[0,4611686018427387904,8],"fill":"normal"})"),
              HasSubstr("4 GiB"));
}

TEST(TensorSpecIntegers, ThatTheTypeCannotHoldAreRefusedWithTheRange) {
  EXPECT_THAT(refusal(R"({"dtype":"int8","data":[300]})"),
              AllOf(StartsWith("x.json: args.self.data"), HasSubstr("-128 to 127")));
  EXPECT_THAT(refusal(R"({"dtype":"uint8","data":[-1]})"), HasSubstr("0 to 255"));
  EXPECT_THAT(refusal(R"({"dtype":"bool","data":[2]})"), HasSubstr("0 to 1"));
  EXPECT_THAT(refusal(R"({"dtype":"int64","data":[18446744073709551615]})"),
              HasSubstr("9223372036854775807"));
  EXPECT_THAT(refusal(R"({"dtype":"int32","data":[1.5]})"), HasSubstr("expected an integer"));
  EXPECT_EQ(read(R"({"dtype":"int8","data":[-128,127]})")[1].item<std::int64_t>(), 127);
  EXPECT_TRUE(read(R"({"dtype":"bool","data":[true]})")[0].item<bool>());
}

TEST(TensorSpecIntegers, DrawnOnesDoNotWrapEither) {
  const auto constant = [](const std::string& dtype, const std::string& value) {
    return refusal(R"({"shape":[2],"fill":"constant","dtype":")" + dtype +
                   R"(","params":{"value":)" + value + "}}");
  };
  EXPECT_THAT(constant("int8", "300"), AllOf(HasSubstr(".fill"), HasSubstr("-128 to 127")));
  EXPECT_THAT(constant("int64", "9223372036854775808"), HasSubstr("int64"));
  EXPECT_THAT(constant("int32", "\"nan\""), HasSubstr("int32"));
  EXPECT_EQ(constant("int32", "2147483647"), "accepted");
  EXPECT_EQ(constant("int8", "-128"), "accepted");
  EXPECT_EQ(constant("bool", "3"), "accepted");
}

TEST(TensorSpec, APaletteIsAListOfNumbers) {
  const at::Tensor x = read(R"({"shape":[100],"fill":"palette","params":{"values":[1,"inf",-2]}})");
  EXPECT_EQ(x.eq(1).logical_or(x.eq(-2)).logical_or(x.isinf()).sum().item<int>(), 100);
  EXPECT_TRUE(x.isinf().any().item<bool>());
  EXPECT_THAT(refusal(R"({"shape":[2],"fill":"palette","params":{"values":[]}})"),
              HasSubstr("params.values: expected a list of at least one number"));
  EXPECT_THAT(refusal(R"({"shape":[2],"fill":"normal","params":{"values":[1]}})"),
              HasSubstr("values"));
  EXPECT_THAT(refusal(R"({"shape":[2,3],"fill":"definite"})"), HasSubstr("square matrices"));
}

}  // namespace
}  // namespace plumb
