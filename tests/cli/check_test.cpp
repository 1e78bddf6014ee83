// plumb check and replay, from outside: three lines a behaviour.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json check(const ScratchFolder& folder, const std::string& body, int status,
           const std::string& flags = "") {
  folder.write("x.json", R"({"schema":"plumb.case/1",)" + body + "}");
  const Finished run = run_in(folder.path(), "plumb check x.json --json " + flags);
  EXPECT_EQ(run.status, status) << run.out << run.err;
  return json::parse(run.out)["results"][0];
}

TEST(Check, AStableOperatorIsOk) {
  const ScratchFolder folder;
  const json row = check(folder, R"("op":"aten::exp","args":{"self":{"data":[1,2,3]}})", 0);
  EXPECT_TRUE(row["ok"]);
  EXPECT_EQ(row["oracle"], "quad");
  EXPECT_EQ(row["path"][0], "aten::exp");
  EXPECT_LE(row["r"], 1);
  EXPECT_THAT(row["digest"], testing::StartsWith("sha256:"));
}

TEST(Check, ALostTailIsFoundWithoutBeingTold) {
  const ScratchFolder folder;
  const json row = check(folder, R"("op":"aten::gelu","args":{"self":{"data":[-5.5,1]}})", 1);
  EXPECT_EQ(row["verdict"], "unstable");
  EXPECT_EQ(row["worst_index"], json::array({0}));
}

TEST(Check, EveryReportIsWritten) {
  const ScratchFolder folder;
  check(folder, R"("op":"aten::exp","args":{"self":{"data":[1]}})", 0);
  for (const char* name : {"results.json", "report.html", "junit.xml", "summary.md"}) {
    EXPECT_GT(std::filesystem::file_size(folder / (std::string("out/") + name)), 0u) << name;
  }
}

TEST(Check, ValuesOutrankTheOracle) {
  const ScratchFolder folder;
  const std::string body = R"("op":"aten::exp","args":{"self":{"data":[0]}},)";
  check(folder, body + R"("expect":{"values":[1]})", 0);
  EXPECT_EQ(check(folder, body + R"("expect":{"values":[1.5]})", 1)["verdict"], "unstable");
  EXPECT_EQ(check(folder, body + R"("expect":{"values":["nan"]})", 1)["verdict"], "masked");
  check(folder, body + R"("expect":{"values":[{"any":[7,1]}]})", 0);
  check(folder, body + R"("expect":{"values":[{"le":1}]})", 0);
  check(folder, body + R"("expect":{"values":["*"]})", 0);
  check(folder, body + R"("expect":{"values":[1.0000001],"rel":1e-3})", 0);
}

TEST(Check, TheSignOfZeroCountsInValues) {
  const ScratchFolder folder;
  const std::string body = R"("op":"aten::neg","args":{"self":{"data":[0.0]}},)";
  check(folder, body + R"("expect":{"values":[-0.0]})", 0);
  EXPECT_EQ(check(folder, body + R"("expect":{"values":[0.0]})", 1)["verdict"], "unstable");
  check(folder, body + R"("expect":{"values":[{"any":[0.0,-0.0]}]})", 0);
}

TEST(Check, AnExpectedErrorMustSayWhatWasExpected) {
  const ScratchFolder folder;
  const std::string body =
      R"("op":"aten::mm","args":{"self":{"data":[[1]]},"mat2":{"data":[[1],[2]]}},)";
  check(folder, body + R"("expect":{"verdict":["error"],"raises":"shapes"})", 0);
  check(folder, body + R"("expect":{"verdict":["error"],"raises":"elephants"})", 1);
}

TEST(Check, AnotherPathThanIntendedIsAFallback) {
  const ScratchFolder folder;
  const std::string body = R"("op":"aten::softmax.int","args":{"self":{"data":[1,2]},"dim":0},)";
  check(folder, body + R"("expect":{"path":["aten::softmax","aten::_softmax"]})", 0);
  EXPECT_EQ(check(folder, body + R"("expect":{"path":["!aten::_softmax"]})", 1)["verdict"],
            "fallback");
}

TEST(Check, DoubleNeedsAnOracleWiderThanDouble) {
  const ScratchFolder folder;
  const std::string f64 = R"("dtype":"float64")";
  EXPECT_EQ(check(folder, R"("op":"aten::exp","args":{"self":{"data":[1]}},)" + f64, 0)["oracle"],
            "quad");
  const json row =
      check(folder, R"("op":"aten::linalg_det","args":{"A":{"data":[[1,2],[3,4]]}},)" + f64, 0);
  EXPECT_EQ(row["verdict"], "unsupported");
  EXPECT_THAT(std::string(row["message"]), HasSubstr("no oracle wider than f64"));
}

TEST(Check, GradientsAreOutputs) {
  const ScratchFolder folder;
  const json row =
      check(folder, R"("op":"aten::logsumexp","args":{"self":{"data":["-inf","-inf"]},"dim":[0]},
                "grad":["self"],"expect":{"values":{"grad:self":[0,0]}})",
            1);
  EXPECT_EQ(row["verdict"], "nonfinite");
  EXPECT_EQ(row["where"], "grad:self");
}

TEST(Check, GeneratedInputsDependOnTheSeedAlone) {
  const ScratchFolder folder;
  const std::string body =
      R"("op":"aten::exp","args":{"self":{"shape":[100],"fill":"normal"}},"seed":)";
  const std::string first = check(folder, body + "7", 0)["digest"];
  EXPECT_EQ(check(folder, body + "7", 0)["digest"], first);
  EXPECT_NE(check(folder, body + "8", 0)["digest"], first);
}

TEST(Check, LayoutRelationHoldsForExp) {
  const ScratchFolder folder;
  check(folder, R"("op":"aten::exp","args":{"self":{"shape":[100],"fill":"normal"}})", 0,
        "--relations layout,threads --repeat 3");
}

TEST(Check, StridesOffsetsAndViewsHoldTheSameValues) {
  const ScratchFolder folder;
  const std::string expect = R"(,"expect":{"values":[[2,4],[6,8]]})";
  for (const char* layout :
       {R"("strides":[1,2])", R"("strides":[7,2],"offset":3)", R"("view":["neg"])"}) {
    check(folder,
          R"("op":"aten::mul.Scalar","args":{"other":2,"self":{"data":[[1,2],[3,4]],)" +
              std::string(layout) + "}}" + expect,
          0);
  }
  check(folder, R"("op":"aten::mul.Scalar","args":{"other":2,"self":{"data":[[3,3],[3,3]],
                "strides":[0,0]}},"expect":{"values":[[6,6],[6,6]]})",
        0);
}

TEST(Check, AMemoryLimitIsSaidInItsOwnUnit) {
  const ScratchFolder folder;
  const json row =
      check(folder, R"("op":"aten::exp","args":{"self":{"shape":[100000000],"fill":"constant"}})",
            1, "--memory 1KiB");
  EXPECT_EQ(row["verdict"], "out-of-memory");
  EXPECT_THAT(std::string(row["message"]), HasSubstr("1KiB"));
}

TEST(Replay, ACaseAnswersTheSameInTwoProcesses) {
  const ScratchFolder folder;
  folder.write("x.json",
               R"({"schema":"plumb.case/1","op":"aten::gelu","args":{"self":{"data":[-5.5]}}})");
  EXPECT_EQ(run_in(folder.path(), "plumb replay x.json").status, 0);
}

TEST(Replay, AFindingThatIsGoneIsDifferent) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "finding");
  folder.write("finding/case.json",
               R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1]}}})");
  folder.write("finding/finding.json", R"({"verdict":"nonfinite","digest":""})");
  const Finished run = run_in(folder.path(), "plumb replay finding");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("was nonfinite"));
}

}  // namespace
}  // namespace plumb
