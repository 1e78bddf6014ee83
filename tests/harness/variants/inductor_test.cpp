// Compiling takes seconds: few programs, many outputs each.

#include <cstdlib>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/library.h>

#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "harness/variants/inductor/package.hpp"
#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class Inductor : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = inductor::why_no_compiler()) GTEST_SKIP() << *why;
  }
};

Settings compiled() {
  Settings settings;
  settings.variant = "inductor";
  return settings;
}

/// Lists, sizes that were read, constants, kinds of arguments that a graph keeps as integers.
Outputs many_things(const Inputs& in, Widening) {
  const at::Tensor& x = in["x"];
  const at::Tensor weight = at::arange(12, at::kFloat).reshape({3, 4}).to(x.scalar_type()) / 7;
  Outputs outputs;
  const auto add = [&](const at::Tensor& y) {
    outputs.push_back({"output " + std::to_string(outputs.size()), y});
  };
  add(at::linear(x, weight).softmax(-1));
  add(at::cat({x, x.exp()}, 0).sum(0, false, std::nullopt));
  add((x * x.size(0)).mean());
  for (const at::Tensor& half : x.split(2, 1)) add(half.tanh());
  add(x.index_select(1, constant(at::IntArrayRef{3, 0})));
  add(at::where(x > 0, x, -std::numeric_limits<double>::infinity()));
  return outputs;
}

TEST_F(Inductor, ComputesWhatTheProgramDoes) {
  const Program program = {.name = "many things",
                           .forward = many_things,
                           .traits = {.promise = Promise::composite, .why = "a test"},
                           .grad = {},
                           .cotangent = {}};
  const Inputs inputs = {{"x", at::arange(20, at::kFloat).reshape({5, 4}) / 9 - 1}};
  const Evaluation row = evaluate({program, inputs, at::kFloat, {}}, compiled());
  EXPECT_TRUE(row.result.verdict == Verdict::stable || row.result.verdict == Verdict::exact)
      << to_string(row.result.verdict) << " " << row.result.message;
  EXPECT_EQ(row.outputs.size(), 7U);
}

/// pytorch/pytorch#197089: the sum of squares is float's, in which 1e-60 is 0.
TEST_F(Inductor, AKnownDefectOfCompiledCodeIsFound) {
  const Program deviation = operator_program(*operator_named("aten::std.correction"));
  const Inputs inputs = {{"self", at::arange(1, 4, at::kFloat) * 1e-30},
                         {"dim", c10::List<std::int64_t>({0})}};
  EXPECT_EQ(evaluate({deviation, inputs, at::kFloat, {}}, compiled()).result.verdict,
            Verdict::flushed);
}

Program times(double factor) {
  return native_program("scaled", [factor](const Inputs& in) {
    return in["x"] * at::full({4}, factor, in["x"].options());
  });
}

/// Planted: whatever the program is, the package has another constant in it.
const Register<Variant> altered{{
    .name = "test-altered-constant",
    .about = "planted: a package whose constant was altered",
    .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
    .execute =
        [](const Program&, const Inputs& inputs, c10::Device device) {
          return variant_or_usage_error("inductor").execute(times(1.0001), inputs, device);
        },
}};

TEST_F(Inductor, AnAlteredConstantIsFound) {
  const Subject subject{times(1), {{"x", at::ones({4}) / 3}}, at::kFloat, {}};
  EXPECT_EQ(evaluate(subject, compiled()).result.verdict, Verdict::exact);
  Settings settings;
  settings.variant = "test-altered-constant";
  EXPECT_EQ(evaluate(subject, settings).result.verdict, Verdict::unstable);
}

TEST_F(Inductor, TheSameProgramIsCompiledOnce) {
  const Program program = native_program("program", [](const Inputs& in) { return in["x"] + 17; });
  const Inputs inputs = {{"x", at::ones({3})}};
  const TracedGraph traced = traced_graph(program, inputs);
  const auto calls = inductor::calls_of(traced, tensors_of(inputs));
  const fs::path package = inductor::package_of(calls);
  const auto written = fs::last_write_time(package);
  EXPECT_EQ(inductor::package_of(calls), package);
  EXPECT_EQ(fs::last_write_time(package), written);
}

Case erf_of(std::int64_t n) {
  return case_from_json({{"schema", "plumb.case/1"},
                         {"op", "aten::erf"},
                         {"dtype", "float32"},
                         {"args", {{"self", {{"shape", {n}}, {"fill", "normal"}}}}}},
                        "erf");
}

Case product_of(std::int64_t k) {
  const Json left = {{"shape", {2, k}}, {"fill", "normal"}};
  const Json right = {{"shape", {k, 3}}, {"fill", "normal"}};
  return case_from_json({{"schema", "plumb.case/1"},
                         {"op", "aten::mm"},
                         {"dtype", "float32"},
                         {"args", {{"self", left}, {"mat2", right}}}},
                        "mm");
}

/// mm stays a call of torch in compiled code, so it is on the path; erf is not.
TEST_F(Inductor, ProgramsCompiledTogetherAnswerAsAlone) {
  const std::vector<Case> cases = {erf_of(17), product_of(5), erf_of(64), product_of(33)};
  std::vector<Planned> planned;
  for (const Case& stored : cases)
    planned.push_back({stored.subject.program, stored.subject.inputs});
  const Variant& variant = variant_or_usage_error("inductor");
  const auto rows = [&] {
    std::vector<Result> all;
    for (const Case& stored : cases) all.push_back(evaluate(stored.subject, compiled()).result);
    return all;
  };
  variant.prepare_many(planned, c10::kCPU);
  const std::vector<Result> together = rows();
  variant.prepare_many({}, c10::kCPU);
  const std::vector<Result> alone = rows();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(together[i].ok || together[i].verdict == Verdict::unstable) << together[i].message;
    EXPECT_EQ(together[i].verdict, alone[i].verdict);
    EXPECT_EQ(together[i].digest, alone[i].digest);
    EXPECT_EQ(together[i].path_hash, alone[i].path_hash);
    EXPECT_EQ(together[i].r, alone[i].r);
  }
  EXPECT_EQ(together[1].path.size(), 1U);
}

Inputs picked(std::int64_t size, std::int64_t place) {
  return {{"self", at::arange(size, at::kFloat)},
          {"dim", 0},
          {"index", at::full({2}, place, at::kLong)}};
}

/// Planted: after it was compiled with its neighbour, the neighbour's index is out of range.
TEST_F(Inductor, WhatANeighbourRaisesIsNotTheProgramsOwn) {
  const Program select = operator_program(*operator_named("aten::index_select"));
  const Variant& variant = variant_or_usage_error("inductor");
  const Inputs own = picked(5, 4);
  const Inputs neighbour = picked(9, 8);
  variant.prepare_many({{select, own}, {select, neighbour}}, c10::kCPU);
  const Prepared prepared = variant.prepare(select, own, c10::kCPU);
  EXPECT_TRUE(prepared(own).outputs.front().tensor.equal(at::full({2}, 4.0F)));
  neighbour["index"].fill_(99);
  EXPECT_TRUE(prepared(own).outputs.front().tensor.equal(at::full({2}, 4.0F)));
  own["index"].fill_(99);
  EXPECT_ANY_THROW(prepared(own));  // and what is its own still shows
  variant.prepare_many({}, c10::kCPU);
}

at::Tensor unknown_to_python(const at::Tensor& x) { return x + 1; }

TORCH_LIBRARY(inductor_test, library) {
  library.def("unknown_to_python(Tensor x) -> Tensor", &unknown_to_python);
}

/// Planted: a call of an operator that the compiler's process has never heard of.
TEST_F(Inductor, ARefusedProgramTakesNoOtherWithIt) {
  std::vector<inductor::Calls> calls;
  for (const char* name : {"aten::sin", "inductor_test::unknown_to_python", "aten::cos"}) {
    const Program program = operator_program(*operator_named(name));
    const std::string argument = calls.size() == 1 ? "x" : "self";
    const Inputs inputs = {{argument, at::ones({3})}};
    calls.push_back(inductor::calls_of(traced_graph(program, inputs), tensors_of(inputs)));
  }
  std::set<std::size_t> compiled_places;
  for (const inductor::Package& package : inductor::packages_of(calls, {{0, 1, 2}})) {
    if (!package.file.empty()) {
      EXPECT_TRUE(fs::exists(package.file));
      compiled_places.insert(package.programs.begin(), package.programs.end());
      continue;
    }
    EXPECT_EQ(package.programs, std::vector<std::size_t>{1});
    EXPECT_THAT(package.why_not, testing::HasSubstr("unknown_to_python"));
  }
  EXPECT_EQ(compiled_places, (std::set<std::size_t>{0, 2}));
}

/// A case whose model is a package, with the formula of its reference.
Result judged_package(const ScratchFolder& folder, const std::string& inputs,
                      const std::string& reference) {
  const Inputs example = {{"x", at::ones({2, 3})}};
  const Program program = native_program("program", [](const Inputs& in) { return in["x"].exp(); });
  const auto calls = inductor::calls_of(traced_graph(program, example), tensors_of(example));
  fs::copy_file(inductor::package_of(calls), folder / "net.pt2", fs::copy_options::skip_existing);
  std::string more;
  if (!reference.empty()) {
    torch::jit::Module module("Net");
    module.define("def forward(self, x):\n    return " + reference + "\n");
    module.save(folder / "net.pt");
    more = R"(,"reference":"net.pt")";
  }
  return run_case(load_case(folder.write(
      "x.json",
      R"({"schema":"plumb.case/1","model":"net.pt2","inputs":{"x":)" + inputs + "}" + more + "}")));
}

/// Planted: a reference of another formula.
TEST_F(Inductor, APackageIsJudgedByItsReference) {
  const ScratchFolder folder;
  const std::string x = R"({"data":[[1,2,3],[4,5,6]]})";
  EXPECT_EQ(judged_package(folder, x, "").verdict, Verdict::unsupported);
  const Result row = judged_package(folder, x, "torch.exp(x)");
  EXPECT_TRUE(row.verdict == Verdict::stable || row.verdict == Verdict::exact) << row.message;
  EXPECT_EQ(judged_package(folder, x, "torch.exp(x * 1.001)").verdict, Verdict::unstable);
}

TEST_F(Inductor, APackageTakesNoOtherInputsThanItWasCompiledFor) {
  const ScratchFolder folder;
  for (const char* x : {R"({"data":[[1,2],[4,5]]})", R"({"data":[1,2,3]})",
                        R"({"data":[[1,2,3],[4,5,6]],"dtype":"float64"})",
                        R"({"shape":[2,3],"fill":"normal","strides":[1,2]})"}) {
    EXPECT_THROW(judged_package(folder, x, ""), InputError) << x;
  }
}

TEST_F(Inductor, WhatItCannotCompileIsSkippedInItsWords) {
  const Result row =
      evaluate({native_program("nonzero", [](const Inputs& in) { return in["x"].nonzero(); }),
                {{"x", at::ones({3})}},
                at::kFloat,
                {}},
               compiled())
          .result;
  if (row.verdict == Verdict::skipped) {
    EXPECT_THAT(row.message, testing::HasSubstr("AOTInductor cannot compile it: "));
  } else {
    EXPECT_EQ(row.verdict, Verdict::exact) << row.message;
  }
}

TEST_F(Inductor, ThereIsNoGradient) {
  Program program = native_program("program", [](const Inputs& in) { return in["x"].exp(); });
  program.grad = {"x"};
  const Result row = evaluate({program, {{"x", at::ones({3})}}, at::kFloat, {}}, compiled()).result;
  EXPECT_EQ(row.verdict, Verdict::skipped);
}

}  // namespace
}  // namespace plumb
