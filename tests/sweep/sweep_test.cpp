#include "sweep/sweep.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include <torch/library.h>

#include "harness/errors.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// Planted kernels. A sweep must find the wrong ones and leave the right one alone.
at::Tensor right_square(const at::Tensor& x) { return x * x; }

// The kernel for float adds up in bfloat16.
at::Tensor rounded_sum(const at::Tensor& x) {
  if (x.scalar_type() != at::kFloat) return x.sum();
  return x.to(at::kBFloat16).sum().to(at::kFloat);
}

at::Tensor aborts_on_33(const at::Tensor& x) {
  if (x.size(-1) == 33) std::abort();
  return x.clone();
}

TORCH_LIBRARY(sweep_planted, library) {
  library.def("right_square(Tensor self) -> Tensor", &right_square);
  library.def("rounded_sum(Tensor self) -> Tensor", &rounded_sum);
  library.def("aborts_on_33(Tensor self) -> Tensor", &aborts_on_33);
}

class Sweep : public testing::Test {
 protected:
  std::vector<Result> run(const std::string& op, int cases, const Options& options = {}) {
    const auto units = sweep_units({op}, {"float32"}, cases, options);
    return run_sweep(*test_zygote(), units, options, 300, out_.string(), [](const Result&) {});
  }

  void TearDown() override { fs::remove_all(out_); }

  const fs::path out_ = fs::temp_directory_path() / ("plumb-sweep-" + std::to_string(getpid()));
};

std::vector<Verdict> alarms(const std::vector<Result>& rows) {
  std::vector<Verdict> verdicts;
  for (const Result& row : rows) {
    if (!row.ok) verdicts.push_back(row.verdict);
  }
  return verdicts;
}

TEST_F(Sweep, ASoundOperatorGivesARowForEachDirectionAndNoAlarm) {
  const auto rows = run("exp", 26);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(alarms(rows).empty()) << rows.front().message;
  EXPECT_EQ(rows[0].arm, "forward");
  EXPECT_EQ(rows[1].arm, "gradient");
  EXPECT_EQ(rows[0].replay, "plumb sweep aten::exp --dtype float32 --cases 26 --seed 0");
  EXPECT_FALSE(fs::exists(out_ / "findings"));
}

TEST_F(Sweep, TheSameSeedGivesTheSameRows) {
  const auto first = run("softmax.int", 13), second = run("softmax.int", 13);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].id, second[i].id);
    EXPECT_EQ(first[i].verdict, second[i].verdict);
    EXPECT_EQ(first[i].digest, second[i].digest);
    EXPECT_EQ(first[i].message, second[i].message);
  }
}

TEST_F(Sweep, APlantedKernelThatRoundsIsFoundAndSaved) {
  const auto rows = run("sweep_planted::rounded_sum", 13);
  ASSERT_FALSE(alarms(rows).empty());
  const Result& row =
      *std::find_if(rows.begin(), rows.end(), [](const Result& r) { return !r.ok; });
  ASSERT_TRUE(row.replay.starts_with("plumb replay ")) << row.replay;
  EXPECT_TRUE(fs::exists(row.replay.substr(std::string("plumb replay ").size()))) << row.replay;
  EXPECT_TRUE(alarms(run("sweep_planted::right_square", 13)).empty());
}

TEST_F(Sweep, ACrashCostsItsCaseAndTheOthersAreJudged) {
  const auto rows = run("sweep_planted::aborts_on_33", 13);
  EXPECT_EQ(alarms(rows), (std::vector{Verdict::crashed, Verdict::crashed}));  // both directions
  const auto whole = std::find_if(rows.begin(), rows.end(), [](const Result& r) { return r.ok; });
  ASSERT_NE(whole, rows.end());
  EXPECT_TRUE(whole->message.starts_with("12 cases")) << whole->message;
}

TEST_F(Sweep, APatternThatSelectsNothingIsAUsageError) {
  EXPECT_THROW(sweep_units({"no_such_operator"}, {"float32"}, 1, {}), UsageError);
  EXPECT_THROW(sweep_units({"bernoulli"}, {"float32"}, 1, {}), UsageError);
}

}  // namespace
}  // namespace plumb
