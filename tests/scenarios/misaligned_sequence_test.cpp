#include <cmath>

#include <gmock/gmock.h>

#include <ATen/ATen.h>

#include "scenarios/attention/sdpa.hpp"
#include "tests/scenarios/arm_result.hpp"

namespace plumb {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string kName = "misaligned-sequence";
const std::string kConditions = "what decides the attention kernel";

std::string backend_of(const Result& result, const std::string& condition) {
  return std::get<std::string>(row(table(result, kConditions), condition)[1]);
}

class MisalignedSequence : public testing::Test {
 protected:
  static void SetUpTestSuite() { faulty_ = new Result(arm_result(kName, "faulty")); }
  static void TearDownTestSuite() { delete faulty_; }

  static Result* faulty_;
};

Result* MisalignedSequence::faulty_ = nullptr;

TEST_F(MisalignedSequence, ATransposedKeyFallsBackAndIsNumericallyFine) {
  EXPECT_EQ(faulty_->verdict, Verdict::fallback);
  EXPECT_THAT(faulty_->path, Contains("aten::_scaled_dot_product_attention_math"));
  EXPECT_THAT(faulty_->message, HasSubstr("last dimension of the input to have stride 1"));
  EXPECT_LT(*faulty_->r, 1);
}

TEST_F(MisalignedSequence, AContiguousKeyStaysOnFlash) {
  const Result result = arm_result(kName, "fixed");
  EXPECT_EQ(result.verdict, Verdict::stable) << result.message;
  EXPECT_THAT(result.path, Contains("aten::_scaled_dot_product_flash_attention_for_cpu"));
}

TEST_F(MisalignedSequence, AForcedMathBackendIsCaughtAndTheSettingIsPutBack) {
  EXPECT_EQ(arm_result(kName, "mutant").verdict, Verdict::fallback);
  EXPECT_TRUE(at::globalContext().userEnabledFlashSDP());
  EXPECT_TRUE(at::globalContext().userEnabledMemEfficientSDP());
}

TEST_F(MisalignedSequence, NeitherTheLengthNorTheHeadDimNeedsAMultipleOf64) {
  EXPECT_EQ(backend_of(*faulty_, "length 65"), "flash");
  EXPECT_EQ(backend_of(*faulty_, "head dim 63"), "flash");
}

TEST_F(MisalignedSequence, FlashTakesMasksCausalAndGroupedHeads) {
  EXPECT_EQ(backend_of(*faulty_, "bool mask, 4-D"), "flash");
  EXPECT_EQ(backend_of(*faulty_, "causal"), "flash");
  EXPECT_EQ(backend_of(*faulty_, "4 query heads, 2 key heads"), "flash");
}

TEST_F(MisalignedSequence, EveryOtherConditionFallsBackToMath) {
  for (const char* condition :
       {"dropout 0.1", "value dim 32", "mask, 3-D", "key transposed in memory",
        "mask requires grad", "key in another dtype", "length 0"}) {
    EXPECT_EQ(backend_of(*faulty_, condition), "math") << condition;
  }
}

TEST_F(MisalignedSequence, BothBackendsAreWithinAFewRoundoffsOfTheTruth) {
  const std::vector<Cell> cells = row(table(*faulty_, kConditions), "length 128, dim 64");
  // |values| reach 4; a weighted mean of them keeps an error of a few 2^-24 of that
  EXPECT_LT(std::get<double>(cells[4]), 16 * 4 * std::ldexp(1.0, -24));
  EXPECT_LT(std::get<double>(cells[5]), 16 * 4 * std::ldexp(1.0, -24));
}

TEST_F(MisalignedSequence, AKeyInAnotherDtypeRaisesAtTheCall) {
  const std::vector<Cell> cells = row(table(*faulty_, kConditions), "key in another dtype");
  EXPECT_THAT(std::get<std::string>(cells[4]), HasSubstr("to have the same dtype"));
}

// notes: math 20.0 MiB at 512 and 308.0 at 2048; flash 1.3 and 5.2 with two threads, which is 59
// times less. One thread needs one thread's buffer less.
TEST_F(MisalignedSequence, MathTakesAbout59TimesTheMemoryOfFlashAtLength2048) {
  const Table memory = table(arm_result(kName, "fixed"), "peak memory of attention");
  EXPECT_NEAR(std::get<double>(row(memory, 512.0)[1]), 20.0, 0.5);
  EXPECT_NEAR(std::get<double>(row(memory, 2048.0)[1]), 308.0, 3);
  EXPECT_NEAR(std::get<double>(row(memory, 2048.0)[2]), 5.2, 0.8);
  EXPECT_NEAR(std::get<double>(row(memory, 2048.0)[3]), 59, 12);
}

TEST_F(MisalignedSequence, GivesTheSameBitsAgain) {
  EXPECT_EQ(arm_result(kName, "faulty").digest, faulty_->digest);
}

Attention small_attention() {
  const at::Tensor x = at::ones({1, 2, 8, 16});
  return {.query = x, .key = x, .value = x};
}

TEST(Sdpa, SaysNothingWhereFlashIsTaken) {
  EXPECT_EQ(small_attention().choice(), at::SDPBackend::flash_attention);
  EXPECT_EQ(why_not_flash(small_attention()), "");
}

TEST(Sdpa, GivesTorchsReasonEveryTime) {
  Attention attention = small_attention();
  attention.dropout = 0.1;
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(why_not_flash(attention), HasSubstr("dropout"));
  }
}

TEST(Sdpa, RestrictsTheBackendsOnlyForItsScope) {
  {
    const OnlyBackends math({at::SDPBackend::math});
    EXPECT_EQ(small_attention().choice(), at::SDPBackend::math);
  }
  EXPECT_EQ(small_attention().choice(), at::SDPBackend::flash_attention);
}

TEST(Sdpa, FindsTheKernelInAPath) {
  EXPECT_EQ(attention_kernel({"aten::scaled_dot_product_attention",
                              "aten::_scaled_dot_product_efficient_attention", "aten::empty"}),
            "aten::_scaled_dot_product_efficient_attention");
  EXPECT_EQ(attention_kernel({"aten::add"}), "");
  EXPECT_TRUE(is_math_kernel("aten::_scaled_dot_product_attention_math"));
}

}  // namespace
}  // namespace plumb
