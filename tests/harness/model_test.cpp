#include "harness/model.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

/// A module with a 4×4 weight of numbers that float does not hold, saved as DIR/net.pt.
std::string saved(const ScratchFolder& folder, const std::string& forward,
                  const std::string& name = "net.pt") {
  torch::jit::Module module("Net");
  module.register_parameter("weight", at::arange(16, at::kFloat).reshape({4, 4}) / 7 - 1, false);
  module.define(forward);
  module.save(folder / name);
  return folder / name;
}

constexpr const char* kLinear = R"(
def forward(self, x):
    return torch.linear(x, self.weight)
)";

/// The case is one folder below its model.
std::string case_with(const ScratchFolder& folder, const std::string& more,
                      const std::string& inputs = R"({"x":{"data":[[1,2,3,4],[0.5,-1,7,0.1]]}})") {
  std::filesystem::create_directories(folder / "cases");
  return folder.write("cases/x.json", R"({"schema":"plumb.case/1","model":"../net.pt","inputs":)" +
                                          inputs + more + "}");
}

Result judged(const std::string& file) { return run_case(load_case(file)); }

std::string refusal(const std::string& file) {
  try {
    judged(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Model, IsJudgedByItselfInDouble) {
  const ScratchFolder folder;
  saved(folder, kLinear);
  const Result row = judged(case_with(folder, R"(,"dtype":"float32")"));
  EXPECT_TRUE(row.verdict == Verdict::stable || row.verdict == Verdict::exact) << row.message;
  EXPECT_EQ(row.oracle, "fp64");
  EXPECT_EQ(row.op, "model ../net.pt");
  EXPECT_THAT(row.path, testing::Contains("aten::linear"));
}

/// Planted: the formula that underflows; its healthy twin is the library's.
TEST(Model, AFormulaThatFailsInFloatIsFound) {
  const ScratchFolder folder;
  const std::string wide = R"({"x":{"data":[[200,0,0,1]]}})";
  saved(folder, "def forward(self, x):\n    return torch.log(torch.softmax(x, -1))\n");
  EXPECT_EQ(judged(case_with(folder, "", wide)).verdict, Verdict::nonfinite);
  saved(folder, "def forward(self, x):\n    return torch.log_softmax(x, -1)\n");
  EXPECT_EQ(judged(case_with(folder, "", wide)).verdict, Verdict::exact);
}

/// A model that asks for float by name would answer the oracle in float.
TEST(Model, TypesThatItNamesAreWidenedToo) {
  const ScratchFolder folder;
  Inputs inputs{{"x", at::full({1, 4}, 0.1)}};
  const Program program =
      torchscript_program({saved(folder,
                                 "def forward(self, x):\n"
                                 "    return torch.linear(x.to(dtype=6), self.weight)\n"),
                           "test", "net"},
                          std::nullopt, inputs);
  const Inputs wide{{"x", at::full({1, 4}, 0.1, at::kDouble)}};
  const at::Tensor weight = (at::arange(16, at::kFloat).reshape({4, 4}) / 7 - 1).to(at::kDouble);
  const at::Tensor answer = execute(program, wide, at::kDouble).front().tensor;
  EXPECT_TRUE(answer.equal(at::linear(wide["x"], weight)));
}

TEST(Model, ParametersAreRoundedToTheTypeOfTheCase) {
  const ScratchFolder folder;
  saved(folder, kLinear);
  const Result row = judged(case_with(folder, R"(,"dtype":"bfloat16")"));
  EXPECT_TRUE(row.verdict == Verdict::stable || row.verdict == Verdict::exact) << row.message;
  EXPECT_EQ(row.dtype, "bfloat16");
}

TEST(Model, HasGradients) {
  const ScratchFolder folder;
  saved(folder, kLinear);
  for (const char* variant : {"eager", "jit"}) {
    const std::string more = std::string(R"(,"grad":["x"],"variant":")") + variant + "\"";
    const Evaluation row = [&] {
      const Case stored = load_case(case_with(folder, more));
      return evaluate(stored.subject, stored.settings);
    }();
    ASSERT_EQ(row.outputs.size(), 2U) << row.result.message;
    EXPECT_EQ(row.outputs[1].name, "grad:x");
    EXPECT_EQ(row.result.verdict, Verdict::ill_conditioned)  // columns of the weight cancel
        << variant << " " << to_string(row.result.verdict) << " " << row.result.message;
  }
}

constexpr const char* kBranches = R"(
def forward(self, x):
    if bool(x.sum() > 0):
        y = torch.linear(x, self.weight)
    else:
        y = x * 3
    return y, [y + 1]
)";

TEST(Model, KeepsItsBranchesInJit) {
  const ScratchFolder folder;
  saved(folder, kBranches);
  const Case stored = load_case(case_with(folder, ""));
  const Program& program = stored.subject.program;
  const Prepared prepared =
      variant_or_usage_error("jit").prepare(program, stored.subject.inputs, c10::kCPU);
  const at::Tensor negative = -at::ones({1, 4});
  for (int run = 0; run < 3; ++run) {
    const Outputs outputs = prepared({{"x", negative}}).outputs;
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_TRUE(outputs[0].tensor.equal(negative * 3));
    EXPECT_TRUE(outputs[1].tensor.equal(negative * 3 + 1));
  }
}

TEST(Model, IsTheSameInJit) {
  const ScratchFolder folder;
  saved(folder, kBranches);
  const Result row = judged(case_with(folder, R"(,"variant":"jit")"));
  EXPECT_TRUE(row.verdict == Verdict::stable || row.verdict == Verdict::exact) << row.message;
}

TEST(Model, ItsProductsAreQuantised) {
  const ScratchFolder folder;
  saved(folder, kBranches);
  const Result row = judged(case_with(folder, R"(,"variant":"int8-weight")"));
  EXPECT_EQ(row.verdict, Verdict::stable) << row.message;
  ASSERT_FALSE(row.tables.empty());
}

TEST(BadModel, IsNamedInOneSentence) {
  const ScratchFolder folder;
  const std::string file = case_with(folder, "");
  EXPECT_THAT(refusal(file), testing::AllOf(HasSubstr("x.json: model"), HasSubstr("no file")));
  folder.write("net.pt", "not an archive");
  EXPECT_THAT(refusal(file), HasSubstr("no TorchScript archive"));
  const std::string whole = slurp(saved(folder, kLinear));
  folder.write("net.pt", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(refusal(file), HasSubstr("no TorchScript archive"));
  EXPECT_EQ(refusal(file).find('\n'), std::string::npos);
}

TEST(BadModel, InputsMustBeThoseOfItsForward) {
  const ScratchFolder folder;
  saved(folder, kLinear);
  EXPECT_THAT(refusal(case_with(folder, "", "{}")), HasSubstr("takes 'x'"));
  EXPECT_THAT(refusal(case_with(folder, "", R"({"x":{"data":[1]},"y":{"data":[1]}})")),
              HasSubstr("no 'y'"));
  saved(folder, "def forward(self, x, n : int):\n    return x * n\n");
  EXPECT_THAT(refusal(case_with(folder, "", R"({"x":{"data":[1]},"n":{"data":[1]}})")),
              HasSubstr("'n' as int"));
  saved(folder, "def forward(self, x, n : int=3):\n    return x * n\n");
  EXPECT_EQ(judged(case_with(folder, "", R"({"x":{"data":[1]}})")).verdict, Verdict::exact);
}

/// What torch says of sizes that do not fit is a row, as for an operator.
TEST(BadModel, AShapeThatDoesNotFitIsAnErrorInTorchsWords) {
  const ScratchFolder folder;
  saved(folder, kLinear);
  const Result row = judged(case_with(folder, "", R"({"x":{"data":[[1,2,3]]}})"));
  EXPECT_EQ(row.verdict, Verdict::error);
  EXPECT_THAT(row.message, HasSubstr("shapes cannot be multiplied"));
}

/// The message names functions of the submodule, which must still be there.
TEST(BadModel, AShapeThatDoesNotFitASubmoduleIsAnErrorInTorchsWords) {
  const ScratchFolder folder;
  torch::jit::Module inner("Inner");
  inner.register_parameter("weight", at::ones({4, 4}), false);
  inner.define("def forward(self, x):\n    return torch.linear(x, self.weight)\n");
  torch::jit::Module outer("Outer");
  outer.register_module("inner", inner);
  outer.define("def forward(self, x):\n    return self.inner.forward(x)\n");
  outer.save(folder / "net.pt");
  for (const char* variant : {"eager", "jit", "int8-weight"}) {
    const std::string more = std::string(R"(,"variant":")") + variant + "\"";
    const Result row = judged(case_with(folder, more, R"({"x":{"data":[[1,2,3]]}})"));
    EXPECT_EQ(row.verdict, Verdict::error) << variant;
    EXPECT_THAT(row.message, HasSubstr("shapes cannot be multiplied")) << variant;
  }
}

TEST(BadModel, OnlyTensorsAreOutputs) {
  const ScratchFolder folder;
  saved(folder, "def forward(self, x):\n    return {\"y\": x}\n");
  EXPECT_THAT(refusal(case_with(folder, "")), HasSubstr("expected tensors as outputs"));
}

TEST(BadModel, AReferenceIsOfAModel) {
  const ScratchFolder folder;
  const std::string file = folder.write(
      "x.json",
      R"({"schema":"plumb.case/1","op":"aten::exp","reference":"a.pt","args":{"self":{"data":[1]}}})");
  EXPECT_THAT(refusal(file), HasSubstr("without 'model'"));
}

TEST(BadModel, APackageRunsInInductorAlone) {
  const ScratchFolder folder;
  folder.write("net.pt2", "not an archive");
  const std::string head =
      R"({"schema":"plumb.case/1","model":"net.pt2","inputs":{"x":{"data":[1]}})";
  const Result row = judged(folder.write("x.json", head + R"(,"variant":"eager"})"));
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_THAT(row.message, HasSubstr("inductor alone"));
  EXPECT_THAT(refusal(folder.write("x.json", head + "}")), HasSubstr("no AOTInductor package"));
}

}  // namespace
}  // namespace plumb
