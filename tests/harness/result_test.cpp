#include "harness/result.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Every field away from its default.
Result full() {
  return {.id = "n/faulty/aten::exp/eager/float16/cuda#0a1b2c3d",
          .name = "n",
          .arm = "faulty",
          .op = "aten::exp",
          .variant = "jit",
          .dtype = "float16",
          .device = "cuda",
          .oracle = "quad",
          .seed = 18446744073709551615u,
          .threads = 4,
          .verdict = Verdict::out_of_memory,
          .expected = {"stable", "exact"},
          .ok = false,
          .where = "grad:x",
          .scope = "normwise",
          .severity = 0.1,
          .r = kInf,
          .rho = kNan,
          .r_eager = -kInf,
          .lost_bits = 0.0,
          .max_abs = 5e-324,
          .max_rel = 1.7976931348623157e308,
          .max_ulp = std::numeric_limits<std::int64_t>::max(),
          .nmse = 0.30000000000000004,
          .nan = 3,
          .inf = 0,
          .worst_index = {0, 9007199254740993},
          .path = {"aten::exp", "aten::add.Tensor"},
          .path_hash = "ab",
          .digest = "sha256:00",
          .tags = {"documented: note"},
          .seconds = 0.25,
          .oracle_seconds = 1e-9,
          .message = "two\nlines \"quoted\"",
          .replay = "plumb run n",
          .series = {{"norm", {0, 1, 2}, {1.5, kNan, -kInf}}},
          .tables = {{"t", {"a", "b"}, {{Cell(1.5), Cell("x")}, {Cell(kInf), Cell("")}}}}};
}

Report report_of(std::vector<Result> results) {
  return {{.plumb = "0.1", .torch = "2.15", .cpu_capability = "AVX2", .time = "now"},
          std::move(results)};
}

/// The text of the error that reading gives, after a change to a valid file.
std::string error_after(const std::function<void(Json&)>& change) {
  Json json = to_json(report_of({full()}));
  change(json);
  try {
    report_from_json(json, "old.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ResultJson, HasTheFieldsOfTheDesignInTheirOrder) {
  std::vector<std::string> names;
  const Json json = to_json(Result{});
  for (const auto& [name, value] : json.items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"id",       "name",      "arm",
                                             "op",       "variant",   "dtype",
                                             "device",   "oracle",    "seed",
                                             "threads",  "verdict",   "expected",
                                             "ok",       "where",     "scope",
                                             "severity", "r",         "rho",
                                             "r_eager",  "lost_bits", "max_abs",
                                             "max_rel",  "max_ulp",   "nmse",
                                             "nan",      "inf",       "worst_index",
                                             "path",     "path_hash", "digest",
                                             "tags",     "seconds",   "oracle_seconds",
                                             "message",  "replay",    "series",
                                             "tables"}));
}

TEST(ResultJson, SurvivesTheWayThroughTextBitForBit) {
  const std::string text = to_json(report_of({full(), Result{.id = "other"}})).dump();
  const Report back = report_from_json(Json::parse(text), "r.json");
  EXPECT_EQ(to_json(back).dump(), text);
  const Result& r = back.results.at(0);
  EXPECT_EQ(r.seed, 18446744073709551615u);
  EXPECT_EQ(r.max_ulp, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(r.max_abs, 5e-324);
  EXPECT_EQ(r.nmse, 0.30000000000000004);
  EXPECT_TRUE(std::isnan(*r.rho));
  EXPECT_EQ(std::get<double>(r.tables[0].rows[1][0]), kInf);
}

TEST(ResultJson, WritesWhatWasNotComputedAsNull) {
  const Json json = to_json(Result{});
  for (const char* name :
       {"where", "scope", "severity", "r", "max_ulp", "nan", "path_hash", "digest"}) {
    EXPECT_TRUE(json[name].is_null()) << name;
  }
  EXPECT_EQ(json["message"], "");
  EXPECT_EQ(json["worst_index"], Json::array());
}

TEST(ResultJson, WritesNumbersThatJsonCannotHoldAsWords) {
  EXPECT_EQ(number_to_json(kNan), "nan");
  EXPECT_EQ(number_to_json(kInf), "inf");
  EXPECT_EQ(number_to_json(-kInf), "-inf");
  EXPECT_EQ(number_from_json("-inf"), -kInf);
  EXPECT_THROW(number_from_json("Infinity"), InputError);
}

TEST(ResultJson, NamesTheFileAndTheFieldThatIsWrong) {
  const auto result = [](const char* field, Json value) {
    return error_after([=](Json& json) { json["results"][0][field] = value; });
  };
  EXPECT_EQ(
      result("verdict", "stabel"),
      "old.json: results[0].verdict: expected a verdict such as \"stable\", found \"stabel\"");
  EXPECT_EQ(result("seed", -1),
            "old.json: results[0].seed: expected an integer from 0 to 2^64-1, found -1");
  EXPECT_EQ(result("threads", 5000000000),
            "old.json: results[0].threads: expected a 32-bit integer, found 5000000000");
  EXPECT_EQ(result("max_ulp", 1.5),
            "old.json: results[0].max_ulp: expected a 64-bit integer, found 1.5");
  EXPECT_EQ(result("max_ulp", 9223372036854775808u),
            "old.json: results[0].max_ulp: expected a 64-bit integer, found 9223372036854775808");
  EXPECT_EQ(result("ok", nullptr), "old.json: results[0].ok: expected true or false, found null");
  EXPECT_EQ(result("id", Json::array()), "old.json: results[0].id: expected a string, found array");
  EXPECT_EQ(
      result("r", "Inf"),
      "old.json: results[0].r: expected a number, \"nan\", \"inf\" or \"-inf\", found \"Inf\"");
  EXPECT_EQ(result("path", Json{"a", 1}),
            "old.json: results[0].path[1]: expected a string, found 1");
  EXPECT_EQ(result("sead", 1), "old.json: results[0]: unknown field \"sead\"");
}

TEST(ResultJson, ChecksSeriesAndTables) {
  const auto inside = [](const char* field, const char* key, Json value) {
    return error_after([=](Json& json) { json["results"][0][field][0][key] = value; });
  };
  EXPECT_EQ(inside("series", "x", Json{1}),
            "old.json: results[0].series[0]: expected as many x as y");
  EXPECT_EQ(inside("series", "y", Json{1, 2, true}),
            "old.json: results[0].series[0].y[2]: expected a number, \"nan\", \"inf\" or "
            "\"-inf\", found boolean");
  EXPECT_EQ(inside("tables", "columns", Json{"a"}),
            "old.json: results[0].tables[0]: row 0: expected one cell per column");
}

TEST(ResultJson, RefusesWhatIsNotAResultsFile) {
  const auto error = [](const Json& json) {
    try {
      report_from_json(json, "x.json");
    } catch (const InputError& problem) {
      return std::string(problem.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error(Json::array()),
            "x.json: expected an object of schema plumb.results/1, found array");
  EXPECT_EQ(error(Json::object()), "x.json: the field \"schema\" is missing");
  EXPECT_EQ(error_after([](Json& json) { json["schema"] = "plumb.case/1"; }),
            "old.json: schema: expected \"plumb.results/1\", found \"plumb.case/1\"");
  EXPECT_EQ(error_after([](Json& json) { json["extra"] = 1; }),
            "old.json: unknown field \"extra\"");
  EXPECT_EQ(error_after([](Json& json) { json["environment"].erase("git"); }),
            "old.json: environment: the field \"git\" is missing");
  EXPECT_EQ(error_after([](Json& json) { json["results"].push_back(json["results"][0]); }),
            "old.json: results[1].id: an earlier result has the same id");
}

TEST(ResultJson, EveryFieldIsRequired) {
  const Json whole = to_json(full());
  for (const auto& [name, value] : whole.items()) {
    const std::string key = name;
    EXPECT_EQ(error_after([&](Json& json) { json["results"][0].erase(key); }),
              "old.json: results[0]: the field \"" + key + "\" is missing");
  }
}

TEST(IsOk, WithoutExpectationFollowsTheVerdict) {
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    const Result result{.verdict = static_cast<Verdict>(i)};
    EXPECT_EQ(is_ok(result), ok_unless_expected(result.verdict)) << kVerdictNames[i];
  }
}

TEST(IsOk, WithExpectationNeedsTheVerdictListed) {
  EXPECT_TRUE(is_ok({.verdict = Verdict::nonfinite, .expected = {"unstable", "nonfinite"}}));
  EXPECT_FALSE(is_ok({.verdict = Verdict::stable, .expected = {"nonfinite"}}));
  EXPECT_FALSE(is_ok({.verdict = Verdict::ill_conditioned, .expected = {"stable"}}));
  EXPECT_FALSE(is_ok({.verdict = Verdict::unsupported, .expected = {"stable"}}));
}

TEST(IsOk, StableAdmitsExactButNotTheReverse) {
  EXPECT_TRUE(is_ok({.verdict = Verdict::exact, .expected = {"stable"}}));
  EXPECT_FALSE(is_ok({.verdict = Verdict::stable, .expected = {"exact"}}));
}

TEST(IsOk, ADocumentedLimitIsOkUnlessSomethingElseIsExpected) {
  Result result{.verdict = Verdict::unstable, .tags = {"slow", "documented: notes"}};
  EXPECT_TRUE(is_ok(result));
  result.expected = {"stable"};
  EXPECT_FALSE(is_ok(result));
  EXPECT_FALSE(is_ok({.verdict = Verdict::unstable, .tags = {"undocumented"}}));
}

TEST(IsOk, SkippedSaysNothingAgainstTheProgram) {
  EXPECT_TRUE(is_ok({.verdict = Verdict::skipped, .expected = {"nonfinite"}}));
}

TEST(MoreUrgent, OrdersNotOkThenVerdictThenSeverityThenId) {
  const std::vector<Result> ordered = {
      {.id = "e", .verdict = Verdict::nonfinite, .ok = false},
      {.id = "d", .verdict = Verdict::unstable, .ok = false, .severity = kNan},
      {.id = "c", .verdict = Verdict::unstable, .ok = false, .severity = 9},
      {.id = "b", .verdict = Verdict::unstable, .ok = false, .severity = 2},
      {.id = "a", .verdict = Verdict::unstable, .ok = false},
      {.id = "g", .verdict = Verdict::crashed},
      {.id = "f", .verdict = Verdict::exact},
      {.id = "h", .verdict = Verdict::exact},
  };
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(more_urgent(ordered[i], ordered[j]), i < j) << i << " " << j;
    }
  }
}

TEST(ExitCode, IsZeroOneOrSeventySeven) {
  const Result good{.verdict = Verdict::stable};
  const Result bad{.verdict = Verdict::unstable, .ok = false};
  const Result skipped{.verdict = Verdict::skipped};
  EXPECT_EQ(exit_code({}), 0);
  EXPECT_EQ(exit_code({good, skipped}), 0);
  EXPECT_EQ(exit_code({good, bad, skipped}), 1);
  EXPECT_EQ(exit_code({skipped, skipped}), 77);
}

}  // namespace
}  // namespace plumb
