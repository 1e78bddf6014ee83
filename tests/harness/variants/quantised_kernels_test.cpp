// Every quantised kernel of torch on inputs of ordinary and of awkward kinds.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

const char* const kKernels[] = {"int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm",
                                "int8-weight",  "int4-weight",         "fp8",
                                "fp8-row"};

Result judged(const std::string& variant, c10::ScalarType dtype, const at::Tensor& x,
              const at::Tensor& weight) {
  Settings settings;
  settings.variant = variant;
  Inputs inputs = cast({{"input", x}, {"weight", weight}}, dtype);
  const Program linear = operator_program(*operator_named("aten::linear"));
  return evaluate({linear, std::move(inputs), dtype, {}}, settings).result;
}

bool sound(const Result& row) {
  return row.verdict == Verdict::stable || row.verdict == Verdict::exact;
}

class QuantisedKernel : public testing::TestWithParam<const char*> {};

TEST_P(QuantisedKernel, KeepsItsBoundOnOrdinaryNumbers) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(11);
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const std::int64_t rows : {1, 3, 4, 17}) {
      for (const std::int64_t columns : {32, 64, 96, 256}) {
        const at::Tensor x = at::randn({rows, columns}, generator) + 0.3;
        const at::Tensor weight = at::randn({48, columns}, generator);
        const Result row = judged(GetParam(), dtype, x, weight);
        EXPECT_TRUE(sound(row)) << GetParam() << " " << rows << "x" << columns << ": "
                                << row.message;
      }
    }
  }
}

TEST_P(QuantisedKernel, ZerosAreNothingToDivideBy) {
  const Result row = judged(GetParam(), at::kFloat, at::zeros({2, 32}), at::zeros({16, 32}));
  EXPECT_EQ(row.verdict, Verdict::exact) << row.message;
}

INSTANTIATE_TEST_SUITE_P(All, QuantisedKernel, testing::ValuesIn(kKernels), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Sums of k products up to 255·127 leave int32 from k = 66,312 on, and the engines add on.
TEST(QuantisedKernels, SumsOfDynamicInt8LeaveInt32) {
  const auto of_length = [](std::int64_t k) {
    return judged("int8-dynamic", at::kFloat, at::ones({1, k}), at::ones({2, k}));
  };
  EXPECT_TRUE(sound(of_length(66000)));
  const Result row = of_length(70000);
  EXPECT_EQ(row.verdict, Verdict::unstable);
  EXPECT_GT(*row.r, 1e5);
}

TEST(QuantisedKernels, OneNaNPoisonsARowThatSharesItsScale) {
  const at::Tensor x = at::ones({2, 32});
  x[0][0] = NAN;
  EXPECT_EQ(judged("fp8", at::kFloat, x, at::ones({16, 32})).verdict, Verdict::nonfinite);
  EXPECT_TRUE(sound(judged("fp8-row", at::kFloat, x, at::ones({16, 32}))));
}

}  // namespace
}  // namespace plumb
