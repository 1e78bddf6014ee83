#include "findings/repro.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/library.h>

#include "findings/observation.hpp"
#include "harness/case.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TORCH_LIBRARY(repro_planted, library) {
  library.def("same(Tensor self) -> Tensor", [](const at::Tensor& self) { return self.clone(); });
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

TEST(Repro, AHalfTypeThatFloatWouldRoundTwiceIsWrittenInHexadecimal) {
  // Just above the tie of two neighbours: float makes it the tie, which rounds to the even one.
  const Programs programs = programs_of(
      R"("op":"aten::exp","dtype":"bfloat16","args":{"self":{"data":[1.003906250000001]}})");
  EXPECT_THAT(programs.python, HasSubstr("float.fromhex(\"0x1.02p+0\")"));
}

TEST(Repro, ADrawnTensorHasNoStandAloneProgram) {
  EXPECT_FALSE(repro_model(
      Json::parse(R"({"op":"aten::exp","args":{"self":{"shape":[3],"fill":"normal"}}})")));
  EXPECT_TRUE(repro_model(Json::parse(
      R"({"op":"aten::exp","args":{"self":{"shape":[3],"fill":"constant","params":{"value":2}}}})")));
}

/// Runs the programs in one interpreter; their exit codes, by line.
std::string exit_codes(const std::vector<std::string>& programs) {
  const fs::path folder = fs::temp_directory_path() / ("plumb-repro-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream all(folder / "all.py");
  all << "import runpy\n";
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const fs::path file = folder / ("repro" + std::to_string(i) + ".py");
    std::ofstream(file) << programs[i];
    all << "try:\n    runpy.run_path('" << file.string()
        << "')\n    code = 0\nexcept SystemExit as end:\n    code = end.code\n"
        << "print('exit', code, flush=True)\n";
  }
  all.close();
  std::FILE* pipe = popen(
      (std::string(PLUMB_PYTHON) + " " + (folder / "all.py").string() + " 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  pclose(pipe);
  fs::remove_all(folder);
  return text;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
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
          "args":{"self":{"shape":[3],"fill":"normal"}}})");
  const Result row = run_case(case_from_json(drawn, "test"));
  EXPECT_THAT(python_repro(drawn, Json(), row), HasSubstr("sys.exit(77)"));
  EXPECT_THAT(cpp_repro(drawn, Json(), row), HasSubstr("return 77;"));
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

}  // namespace
}  // namespace plumb
