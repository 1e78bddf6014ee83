#include "fuzz/glance.hpp"

#include <gtest/gtest.h>

#include "fuzz/genome_case.hpp"
#include "fuzz/mutate.hpp"
#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

Glance glance_at(const Json& json) {
  const Case stored = case_from_json(json, "test");
  return glance(stored.subject, stored.settings.seed);
}

Json call(const char* op, const char* dtype, Json data) {
  return {{"schema", "plumb.case/1"},
          {"op", op},
          {"dtype", dtype},
          {"args", {{"self", {{"data", std::move(data)}}}}}};
}

TEST(Glance, SettlesWhatTheCheapBoundSettles) {
  const Glance seen = glance_at(call("aten::exp", "float32", {0.5, -1, 2}));
  EXPECT_EQ(seen.kind, Glance::Kind::settled);
  EXPECT_FALSE(seen.kappa.has_value());
}

TEST(Glance, SettlesWhatTheProbesExcuse) {
  // The sum cancels: its error is that of any order of addition.
  Json json = call("aten::sum", "float32", Json::array());
  json["args"]["self"] = {{"shape", {64}}, {"fill", "cancel"}, {"params", {{"spread", 1e-6}}}};
  const Glance seen = glance_at(json);
  EXPECT_EQ(seen.kind, Glance::Kind::settled);
  ASSERT_TRUE(seen.kappa.has_value());
  EXPECT_GT(*seen.kappa, 100);
}

TEST(Glance, LeavesOpenWhatIsWrong) {
  EXPECT_EQ(glance_at(call("aten::gelu", "float32", {-5.5, 1})).kind, Glance::Kind::open);
  const Glance overflow = glance_at(call("aten::linalg_vector_norm", "float32", {1e20, 1, 1}));
  EXPECT_EQ(overflow.kind, Glance::Kind::open);
  EXPECT_EQ(overflow.worst.verdict, Verdict::nonfinite);
}

TEST(Glance, LeavesFloat64OpenAsFp64IsNoOracleOfIt) {
  EXPECT_EQ(glance_at(call("aten::exp", "float64", {0.5})).kind, Glance::Kind::open);
}

TEST(Glance, TellsWhatThisTypeRefusesFromWhatAllRefuse) {
  Json wrong = call("aten::softmax.int", "float32", {1, 2});
  wrong["args"]["dim"] = 7;
  EXPECT_EQ(glance_at(wrong).kind, Glance::Kind::refused);
  EXPECT_EQ(glance_at(call("aten::special_bessel_j0", "float16", {1})).kind,
            Glance::Kind::refused);  // no kernel
}

TEST(Glance, NeverSettlesWhatTheHarnessFindsWrong) {
  Domain domain({"aten::exp", "aten::softmax.int", "aten::sum", "aten::gelu", "aten::mm",
                 "aten::layer_norm", "aten::cosine_similarity", "aten::linalg_vector_norm"},
                {"float32", "bfloat16", "float16"});
  Choices choices{.ops = {}, .dtypes = 3};
  for (const std::string& op : domain.ops()) choices.ops.push_back(op_hash(op));
  Random random(11);
  int settled = 0;
  for (int i = 0; i < 1500; ++i) {
    const Json json = case_of(sample(choices, random), domain);
    try {
      Case stored = case_from_json(json, "fuzz");
      if (glance(stored.subject, stored.settings.seed).kind != Glance::Kind::settled) continue;
      ++settled;
      stored.settings.oracle = "fp64";
      const Result row = run_case(stored);
      EXPECT_TRUE(row.ok || row.verdict == Verdict::vacuous) << json << "\n" << row.message;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(settled, 500);
}

}  // namespace
}  // namespace plumb
