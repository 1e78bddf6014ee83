#include "findings/repro.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/library.h>

#include "findings/observation.hpp"
#include "harness/case.hpp"
#include "harness/run.hpp"
#include "tests/findings/run_python.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TORCH_LIBRARY(repro_planted, library) {
  library.def("same(Tensor self) -> Tensor", [](const at::Tensor& self) { return self.clone(); });
  library.def("leaky(Tensor self, *, float lambda) -> Tensor",
              [](const at::Tensor& self, double) { return self.clone(); });
}

struct Programs {
  std::string python;
  std::string cpp;
};

Programs programs_of(const std::string& body) {
  const Json stored = Json::parse(R"({"schema":"plumb.case/1",)" + body + "}");
  const Case parsed = case_from_json(stored, "test");
  const Result row = run_case(parsed);
  const Json seen = observed(parsed, row);
  return {python_repro(stored, seen, row), cpp_repro(stored, seen, row)};
}

constexpr const char* kGelu =
    R"("op":"aten::gelu","dtype":"float32","args":{"self":{"data":[[-5.5,1]]}})";

TEST(Repro, ImportsTorchAloneAndCallsTheOperator) {
  const Programs programs = programs_of(kGelu);
  EXPECT_THAT(programs.python, HasSubstr("import torch\n"));
  EXPECT_THAT(programs.python, HasSubstr("self = torch.tensor([[-5.5, 1]], dtype=torch.float32)"));
  EXPECT_THAT(programs.python, HasSubstr("out = torch.ops.aten.gelu.default(self)"));
  EXPECT_THAT(programs.python, HasSubstr("value = got[0, 0].item()"));
  EXPECT_THAT(programs.cpp, HasSubstr(".findSchemaOrThrow(\"aten::gelu\", \"\")"));
  EXPECT_THAT(programs.cpp, HasSubstr("got[0][0].item<double>()"));
}

TEST(Repro, AComplexNumberOfTorchBecomesOneOfCppExplicitly) {
  const Programs programs = programs_of(
      R"("op":"aten::exp","dtype":"float32","args":{"self":{"dtype":"complex64","data":[[1,1]]}},
         "expect":{"values":{"0":[[7,7]]}})");
  EXPECT_THAT(programs.cpp, HasSubstr("const std::complex<double> value(got[0]"));
}

TEST(Repro, AHalfTypeThatFloatWouldRoundTwiceIsWrittenInHexadecimal) {
  // Just above the tie of two neighbours: float makes it the tie, which rounds to the even one.
  const Programs programs = programs_of(
      R"("op":"aten::exp","dtype":"bfloat16","args":{"self":{"data":[1.003906250000001]}})");
  EXPECT_THAT(programs.python, HasSubstr("float.fromhex(\"0x1.02p+0\")"));
}

TEST(Repro, ALargeDrawnTensorHasNoStandAloneProgramButASmallOneIsWrittenDown) {
  EXPECT_FALSE(repro_model(
      Json::parse(R"({"op":"aten::exp","args":{"self":{"shape":[3000],"fill":"normal"}}})")));
  const auto small = repro_model(
      Json::parse(R"({"op":"aten::exp","args":{"self":{"shape":[3],"fill":"normal"}}})"));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->tensors[0].storage.size(), 3u);
  EXPECT_TRUE(repro_model(Json::parse(
      R"({"op":"aten::exp","args":{"self":{"shape":[3],"fill":"constant","params":{"value":2}}}})")));
}

/// The program of a result that is right.
std::string sound_program() {
  const Json stored = Json::parse(
      R"({"schema":"plumb.case/1","op":"aten::exp","dtype":"float32","args":{"self":{"data":[1]}}})");
  const Case parsed = case_from_json(stored, "test");
  Result row = run_case(parsed);
  row.worst_index = {0};
  row.where = "output 0";
  Json seen = observed(parsed, row);
  seen["bound"] = 1e-6;
  return python_repro(stored, seen, row);
}

TEST(Repro, WhatShowsNothingDoesNotEndAsIfNothingWereWrong) {
  const Json drawn = Json::parse(
      R"({"schema":"plumb.case/1","op":"aten::exp","dtype":"float32",
          "args":{"self":{"shape":[3000],"fill":"normal"}}})");
  const Result row = run_case(case_from_json(drawn, "test"));
  EXPECT_THAT(python_repro(drawn, Json(), row), HasSubstr("sys.exit(77)"));
  EXPECT_THAT(cpp_repro(drawn, Json(), row), HasSubstr("return 77;"));
}

TEST(Repro, NoVariableHidesWhatTheProgramsCall) {
  const Programs programs = programs_of(
      R"("op":"aten::polar","dtype":"float32","args":{"abs":{"data":[1]},"angle":{"data":[2]}})");
  EXPECT_THAT(programs.python, HasSubstr("abs_ = torch.tensor("));
  EXPECT_THAT(programs.python, HasSubstr("torch.ops.aten.polar.default(abs_, angle)"));
  EXPECT_THAT(programs.cpp, HasSubstr("at::Tensor abs_ = "));
}

TEST(Repro, AnArgumentNamedLikeAWordOfPythonIsPassedAllTheSame) {
  const Programs programs = programs_of(
      R"("op":"aten::clamp.Tensor","dtype":"float32",
         "args":{"self":{"data":[1]},"max":{"data":[0]}})");
  EXPECT_THAT(programs.python, HasSubstr("clamp.Tensor(self, max=max)"));
  const auto keyword = programs_of(
      R"("op":"aten::random.from","dtype":"float32","args":{"self":{"data":[1]},"from":0,"to":null})");
  EXPECT_THAT(keyword.python, HasSubstr("getattr(torch.ops.aten.random, \"from\")(self, 0, None)"));
}

TEST(Repro, ARelationThatCannotBeAskedAgainShowsNothing) {
  Result row = run_case(case_from_json(
      Json::parse(R"({"schema":"plumb.case/1",)" + std::string(kGelu) + "}"), "test"));
  row.verdict = Verdict::relation_broken;
  const Json stored = Json::parse(R"({"schema":"plumb.case/1",)" + std::string(kGelu) + "}");
  EXPECT_THAT(python_repro(stored, Json(), row), HasSubstr("raise SystemExit(77)"));
  EXPECT_THAT(cpp_repro(stored, Json(), row), HasSubstr("return 77;"));
}

TEST(Repro, AKeywordOfPythonIsPassedByAnArgumentOfThatName) {
  const Programs programs = programs_of(
      R"("op":"repro_planted::leaky","dtype":"float32","args":{"self":{"data":[1]},"lambda":2.0})");
  EXPECT_THAT(programs.python, HasSubstr("leaky.default(self, **{\"lambda\": 2.0})"));
}

TEST(Repro, WhereNoElementIsKnownToBeWrongNothingIsShown) {
  const std::string body = R"({"schema":"plumb.case/1",)" + std::string(kGelu) + "}";
  const Json stored = Json::parse(body);
  const Result row = run_case(case_from_json(stored, "test"));
  EXPECT_THAT(python_repro(stored, Json(), row), HasSubstr("raise SystemExit(77)"));
  EXPECT_THAT(cpp_repro(stored, Json(), row), HasSubstr("return 77;"));
}

TEST(Repro, AnOperatorOfALibraryLoadsIt) {
  const Json stored = Json::parse(
      R"({"schema":"plumb.case/1","op":"repro_planted::same","dtype":"float32",
          "args":{"self":{"data":[1]}}})");
  const Result row = run_case(case_from_json(stored, "test"));
  EXPECT_THAT(python_repro(stored, Json(), row), HasSubstr("torch.ops.load_library(sys.argv[1])"));
}

TEST(Repro, RunsWithTorchAloneAndShowsTheFailureButNoneInWhatIsSound) {
  if (!fs::exists(PLUMB_PYTHON)) GTEST_SKIP() << "no Python beside this torch";
  std::vector<std::string> programs;
  for (
      const char* body :
      {kGelu,
       // The only element of a tensor without dimensions is not the first one in memory.
       R"("op":"aten::gelu","dtype":"float32","args":{"self":{"data":-5.5,"offset":1}})",
       // The gradient of an argument named like a function that the program calls.
       R"("op":"aten::polar","dtype":"float32","grad":["abs"],
           "args":{"abs":{"data":[1]},"angle":{"data":[1]}},"expect":{"values":{"grad:abs":7}})",
       // A list of tensors comes out of it; a list that is one number goes in.
       R"("op":"aten::gradient.array","dtype":"float32",
           "args":{"self":{"data":[2e38,2e38,-3e38]},"dim":-1})",
       R"("op":"aten::gradient.array","dtype":"float32","grad":["self"],
           "args":{"self":{"data":[1,2,3]},"dim":-1},"expect":{"values":{"grad:self":7}})",
       R"("inputs":{"x":{"data":[1]},"y":{"data":[2]}},"dtype":"float32","grad":["y"],
           "steps":[{"op":"aten::cat","args":{"tensors":["$x","$y"]}}],
           "expect":{"values":{"grad:y":7}})",
       R"("op":"aten::logsumexp","dtype":"float32","grad":["self"],
           "args":{"self":{"data":["-inf","-inf"]},"dim":[0]},
           "expect":{"values":{"0":"-inf","grad:self":0}})",
       R"("op":"aten::layer_norm","dtype":"bfloat16","args":{"input":{"data":[3e30,1],"strides":[2]},
           "normalized_shape":[2]})",
       R"("op":"aten::gelu","dtype":"float16","grad":["self"],"args":{"self":{"data":[-4]}},
           "expect":{"values":{"0":7,"grad:self":7}})",
       R"("op":"aten::native_layer_norm","dtype":"float32","args":{"input":{"data":[[3e30,1]]},
           "normalized_shape":[2],"eps":1e-5})",
       R"("inputs":{"x":{"data":[-5.5]}},"dtype":"float32","steps":[
           {"op":"aten::neg","args":{"self":"$x"},"out":"y"},
           {"op":"aten::neg","args":{"self":"$y"},"out":"z"},
           {"op":"aten::gelu","args":{"self":"$z"}}])",
       // A broken relation: both sides are in the program.
       R"("op":"aten::thnn_conv2d","dtype":"float32","grad":["weight"],"relations":["layout"],
           "args":{"self":{"data":[[[[1,2],[3,4],[5,6]]]]},"weight":{"data":[[[[1],[2]]]]},
                   "kernel_size":[2,1]})"}) {
    programs.push_back(programs_of(body).python);
  }
  const std::size_t wrong = programs.size();
  programs.push_back(sound_program());
  const std::string text = exit_codes(programs);
  EXPECT_EQ(count(text, "exit 1"), wrong) << text;
  EXPECT_TRUE(text.ends_with("exit 0\n")) << text;
}

/// The program of a relation, as if it were broken in the first element.
std::string program_of(const std::string& relation, const std::string& body, std::size_t rank,
                       const char* answer = nullptr) {
  const Json stored = Json::parse(R"({"schema":"plumb.case/1","dtype":"float32",)" + body + "}");
  const Case parsed = case_from_json(stored, "test");
  Result row = run_case(parsed);
  row.verdict = Verdict::relation_broken;
  row.where = "output 0, " + relation;
  row.worst_index.assign(rank, 0);
  Json seen = observed(parsed, row);
  EXPECT_TRUE(seen.is_object()) << relation;
  if (seen.contains("bound")) seen["bound"] = 1e-6;
  if (answer != nullptr) seen["sketch"]["answer"] = answer;
  return python_repro(stored, seen, row);
}

TEST(Repro, OfEveryRelationAsksAgainAndFindsNoDifferenceInWhatIsSound) {
  if (!fs::exists(PLUMB_PYTHON)) GTEST_SKIP() << "no Python beside this torch";
  const std::string exp = R"("op":"aten::exp","args":{"self":{"data":[[1,2],[3,4]]}})";
  const std::string list =
      R"("op":"aten::cat","args":{"tensors":[{"data":[[1],[2]]},{"data":[[3],[4]]}],"dim":1})";
  const std::string softmax =
      R"("op":"aten::softmax.int","args":{"self":{"data":[[1,2]]},"dim":1})";
  const std::string gradient =
      R"("op":"aten::mul.Tensor","grad":["self"],"args":{"self":{"data":[1]},"other":{"data":[2]}})";
  std::vector<std::string> programs = {
      program_of("layout", exp, 2),
      program_of("layout", list, 2),
      program_of("layout", gradient, 1),
      program_of("batch", exp, 2),
      program_of("batch", list, 2),
      program_of("position", exp, 2),
      program_of("in-place", exp, 2),
      program_of("out", exp, 2),
      program_of("out", list, 2),
      program_of("run-to-run", exp, 2),
      program_of("threads", exp, 2),
      program_of("monotone", exp, 2),
      program_of("shift", softmax, 2),
      program_of("sum", softmax, 2),
      program_of("scale", R"("op":"aten::sum","args":{"self":{"data":[1,2]}})", 0),
      program_of("symmetry", R"("op":"aten::sin","args":{"self":{"data":[1]}})", 1),
      program_of("symmetry",
                 R"("op":"aten::cdist","args":{"x1":{"data":[[1]]},"x2":{"data":[[3]]}})", 2),
      program_of("out", R"("op":"aten::native_layer_norm","args":{"input":{"data":[1,2]},
                           "normalized_shape":[2],"eps":1e-5})",
                 1)};
  const std::string text = exit_codes(programs);
  EXPECT_EQ(count(text, "exit 0"), programs.size()) << text;
}

TEST(Repro, OfABrokenRelationShowsBothAnswers) {
  if (!fs::exists(PLUMB_PYTHON)) GTEST_SKIP() << "no Python beside this torch";
  const std::string exp = R"("op":"aten::exp","args":{"self":{"data":[[1,2],[3,4]]}})";
  const std::string text = exit_codes(
      {program_of("layout", exp, 2, "-{0}"), program_of("batch", exp, 2, "torch.cat([{1}, {0}])")});
  EXPECT_EQ(count(text, "exit 1"), 2u) << text;
  EXPECT_THAT(text, HasSubstr("first  2.71"));
  EXPECT_THAT(text, HasSubstr("second -2.71"));
}

}  // namespace
}  // namespace plumb
