#include "findings/repro_variant.hpp"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/observation.hpp"
#include "harness/case.hpp"
#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "tests/findings/run_python.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

/// A case, its row, and what was seen of it.
struct Failure {
  Json stored;
  Result row;
  Json seen;

  std::string python() const { return python_repro(stored, seen, row); }
};

Failure failure_of(const std::string& variant, const std::string& body) {
  Failure failure;
  failure.stored =
      Json::parse(R"({"schema":"plumb.case/1","variant":")" + variant + "\"," + body + "}");
  const Case parsed = case_from_json(failure.stored, "test");
  failure.row = run_case(parsed);
  failure.seen = observed(parsed, failure.row);
  return failure;
}

constexpr const char* kGelu =
    R"("op":"aten::gelu","dtype":"float32","args":{"self":{"data":[[-5.5,1]]}})";

/// 127·127 and 255·127 both leave int32 with so many terms.
const std::string kLongSum =
    R"("op":"aten::linear","dtype":"float32",
       "args":{"input":{"shape":[1,140000],"fill":"constant"},
               "weight":{"shape":[2,140000],"fill":"constant"}})";

/// More than the input's largest value comes out of it.
const std::string kWideConvolution =
    R"("op":"aten::conv2d","dtype":"float32",
       "args":{"input":{"data":[[[[1,-1],[0.5,1]]]]},"weight":{"data":[[[[1,0.5],[0.5,1]]]]},
               "bias":{"data":[0.25]},"padding":[1,1]})";

TEST(ReproVariant, WhatFailsThereFailsInAProgramWithTorchAlone) {
  if (!std::filesystem::exists(PLUMB_PYTHON)) GTEST_SKIP() << "no Python beside this torch";
  std::vector<std::string> programs;
  for (const auto& [variant, body] : std::vector<std::pair<std::string, std::string>>{
           {"jit", kGelu},
           {"jit", R"("op":"aten::gelu","dtype":"float16","grad":["self"],
                      "args":{"self":{"data":[-4]}},"expect":{"values":{"0":7,"grad:self":7}})"},
           {"jit", R"("op":"aten::native_layer_norm","dtype":"float32",
                      "args":{"input":{"data":[[3e30,1]]},"normalized_shape":[2],"eps":1e-5})"},
           {"int8-dynamic", kLongSum},
           {"int8-pt2e", kLongSum},
           {"int8-dynamic-onednn", kWideConvolution},
           {"fp8", R"("op":"aten::linear","dtype":"float32",
                      "args":{"input":{"data":[["nan",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],
                                               [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]},
                              "weight":{"shape":[16,16],"fill":"constant"}})"}}) {
    const Failure failure = failure_of(variant, body);
    EXPECT_FALSE(failure.row.ok) << variant << ": " << to_string(failure.row.verdict);
    programs.push_back(failure.python());
  }
  const std::string text = exit_codes(programs);
  EXPECT_EQ(count(text, "exit 1"), programs.size()) << text;
}

/// The same programs, for a right value that is the kernel's own: they compute what it did.
TEST(ReproVariant, EveryKernelIsCalledAsTheVariantCallsIt) {
  if (!std::filesystem::exists(PLUMB_PYTHON)) GTEST_SKIP() << "no Python beside this torch";
  const std::string product =
      R"("op":"aten::addmm","dtype":"bfloat16",
         "args":{"self":{"shape":[16],"fill":"normal"},"mat1":{"shape":[3,32],"fill":"normal"},
                 "mat2":{"shape":[32,16],"fill":"normal"}})";
  const std::string convolution =
      R"("op":"aten::conv1d","dtype":"float32",
         "args":{"input":{"shape":[4,9],"fill":"normal"},"weight":{"shape":[6,2,3],"fill":"normal"},
                 "bias":{"shape":[6],"fill":"normal"},"stride":2,"padding":[1],"groups":2})";
  std::vector<std::string> programs;
  const auto add = [&](const std::string& variant, const std::string& body, bool is_whole) {
    Failure failure = failure_of(variant, body);
    const Case parsed = case_from_json(failure.stored, "test");
    const Execution execution = variant_or_usage_error(variant).execute(
        parsed.subject.program, parsed.subject.inputs, c10::kCPU);
    const Output& shown = is_whole ? execution.outputs.front() : execution.parts.front().outputs[0];
    failure.row.verdict = Verdict::unstable;
    failure.row.where = is_whole ? shown.name : execution.parts.front().name;
    failure.row.worst_index.assign(static_cast<std::size_t>(shown.tensor.dim()), 0);
    failure.row.worst_index.back() = 3;
    const Case again = case_from_json(failure.stored, "test");
    failure.seen = observed(again, failure.row);
    ASSERT_TRUE(failure.seen.is_object()) << variant;
    for (const bool is_right : {true, false}) {
      failure.seen["right"] = failure.seen["got"].get<double>() + (is_right ? 0 : 0.5);
      failure.seen["bound"] = 1e-5;
      programs.push_back(failure.python());
    }
  };
  for (const char* variant : {"int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm",
                              "int8-pt2e", "int8-weight", "int4-weight", "fp8", "fp8-row"}) {
    const Program linear = operator_program(*operator_named("aten::linear"));
    if (variant_or_usage_error(variant).unavailable(linear, c10::kCPU)) continue;  // torch 2.11
    add(variant, product, false);
    add(variant, product, true);
  }
  for (const char* variant : {"int8-dynamic", "int8-pt2e"}) {
    add(variant, convolution, false);
    add(variant, convolution, true);
  }
  const std::string text = exit_codes(programs);
  EXPECT_EQ(count(text, "exit 0"), programs.size() / 2) << text;
  EXPECT_EQ(count(text, "exit 1"), programs.size() / 2) << text;
}

TEST(ReproVariant, OfACompiledProgramIsCompiledByTorchItself) {
  const Failure failure = failure_of("inductor", R"("op":"aten::std.correction","dtype":"float32",
                     "args":{"self":{"data":[1e-30,2e-30,3e-30]},"dim":[0]})");
  if (failure.row.verdict == Verdict::skipped) GTEST_SKIP() << failure.row.message;
  EXPECT_EQ(failure.row.verdict, Verdict::flushed);
  EXPECT_THAT(failure.python(), HasSubstr("run = torch.compile(compute"));
  EXPECT_THAT(exit_codes({failure.python()}), HasSubstr("exit 1\n"));
}

TEST(ReproVariant, WhatTorchAloneCannotShowIsSaid) {
  Failure failure = failure_of("jit", kGelu);
  failure.row.verdict = Verdict::relation_broken;
  EXPECT_THAT(failure.python(), HasSubstr("not one answer to look at: plumb replay shows it"));
  EXPECT_THAT(failure.python(), HasSubstr("sys.exit(77)"));
  EXPECT_THAT(cpp_repro(failure.stored, failure.seen, failure.row),
              HasSubstr("it fails in the variant jit: repro.py or plumb replay shows it"));
  const Failure steps = failure_of("int8-pt2e", R"("dtype":"float32",
      "inputs":{"x":{"data":[[1,2]]},"w":{"data":[[1],[2]]}},
      "steps":[{"op":"aten::neg","args":{"self":"$x"},"out":"y"},
               {"op":"aten::mm","args":{"self":"$y","mat2":"$w"}}])");
  EXPECT_THAT(steps.python(), HasSubstr("its kernel stands in a larger program"));
}

}  // namespace
}  // namespace plumb
