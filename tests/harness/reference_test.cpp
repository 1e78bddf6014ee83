#include "harness/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Operators as a kernel author writes them. Those of float alone have no double to be judged by.
at::Tensor float_kernel(const at::Tensor& x, at::Tensor result) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "not implemented for '", x.scalar_type(), "'");
  return result;
}

at::Tensor soft(const at::Tensor& x, std::int64_t axis) {
  return float_kernel(x, at::softmax(x, axis));
}

at::Tensor soft_unscaled(const at::Tensor& x, std::int64_t axis) {  // planted: 1 % off
  return float_kernel(x, at::softmax(x, axis) * 1.01);
}

at::Tensor total(const at::Tensor& x, std::int64_t axis) { return at::sum(x, {axis}); }

at::Tensor norm(const at::Tensor& x, at::IntArrayRef shape, double epsilon, std::int64_t) {
  return std::get<0>(at::native_layer_norm(x, shape, {}, {}, epsilon));
}

struct Half : torch::autograd::Function<Half> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    return x * 0.5;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list g) {
    return {g[0] * 0.25};  // planted
  }
};
at::Tensor half_wrong_gradient(const at::Tensor& x, double) { return Half::apply(x); }
at::Tensor half_no_gradient(const at::Tensor& x, double factor) {
  const at::NoGradGuard raw_loops;
  return x * factor;
}

TORCH_LIBRARY(reference_planted, library) {
  library.def("soft(Tensor x, int axis) -> Tensor", &soft);
  library.def("soft_unscaled(Tensor x, int axis) -> Tensor", &soft_unscaled);
  library.def("total(Tensor x, int axis) -> Tensor", &total);
  library.def("two(Tensor x) -> (Tensor, Tensor)");
  library.def("needs_more(Tensor x, int axis, int[] block) -> Tensor");
  library.def("tuned(Tensor x, int axis, *, int block=64) -> Tensor");
  library.def("maybe(Tensor? x) -> Tensor");
  library.def("norm(Tensor x, int[] shape, *, float eps=0.5, int block=64) -> Tensor", &norm);
  library.def("half_wrong_gradient(Tensor x, float f=0.5) -> Tensor", &half_wrong_gradient);
  library.def("half_no_gradient(Tensor x, float f=0.5) -> Tensor");
  library.impl("half_no_gradient", c10::DispatchKey::CPU, TORCH_FN(half_no_gradient));
}

c10::OperatorHandle planted(const std::string& name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(("reference_planted::" + name).c_str(), "");
}

ReferenceProgram of(const std::string& name, const std::string& reference) {
  return *reference_of(planted(name), {reference_rule(reference)});
}

std::string refusal(const std::string& name, const std::string& reference) {
  try {
    of(name, reference);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "it was taken";
}

/// A case of a planted operator judged by a reference.
Result judged(const std::string& text, const std::string& reference) {
  const Json json = Json::parse(R"({"schema":"plumb.case/1",)" + text + "}");
  return run_case(case_from_json(json, "case.json", [&](Case& known) {
    known.settings.references = {reference_rule(reference)};
  }));
}

TEST(ReferenceRule, IsAnOperatorWithOrWithoutAPattern) {
  EXPECT_EQ(reference_rule("softmax.int").op, "aten::softmax.int");
  EXPECT_TRUE(reference_rule("aten::exp").selects("anything::at.all"));
  const ReferenceRule rule = reference_rule("my::soft*=aten::softmax.int");
  EXPECT_TRUE(rule.selects("my::softmax_fast.out"));
  EXPECT_FALSE(rule.selects("my::sum"));
  EXPECT_EQ(rule.text(), "my::soft*=aten::softmax.int");
  for (const char* bad : {"", "=aten::exp", "my::*="}) {
    EXPECT_THROW(reference_rule(bad), UsageError) << bad;
  }
}

TEST(ReferenceRule, TheLastThatSelectsCounts) {
  const auto rules = rules_of({"aten::exp", "my::log*=aten::log", "my::l*=aten::log2"});
  EXPECT_EQ(rule_for("my::log", rules)->op, "aten::log2");
  EXPECT_EQ(rule_for("my::other", rules)->op, "aten::exp");
  EXPECT_EQ(rule_for("my::other", rules_of({"my::l*=aten::log2"})), nullptr);
}

TEST(ReferenceProgram, MapsByPositionWhateverTheNames) {
  const ReferenceProgram reference = of("soft", "aten::softmax.int");
  EXPECT_EQ(reference.counterpart("axis"), "dim");
  const Inputs inputs = reference.inputs({{"x", at::ones({3})}, {"axis", 0}});
  EXPECT_EQ(inputs["self"].numel(), 3);
  EXPECT_EQ(inputs.find("dim")->toInt(), 0);
  EXPECT_EQ(inputs.find("x"), nullptr);
}

TEST(ReferenceProgram, OneNumberIsAListOfOne) {
  const Inputs inputs =
      of("total", "aten::sum.dim_IntList").inputs({{"x", at::ones({3})}, {"axis", 0}});
  EXPECT_EQ(inputs.find("dim")->toIntVector(), std::vector<std::int64_t>{0});
}

TEST(ReferenceProgram, KeywordOnlyArgumentsMapByNameAndTheirDefaultsAreThoseOfTheJudged) {
  const ReferenceProgram reference = of("norm", "aten::layer_norm");
  EXPECT_EQ(reference.counterpart("eps"), "eps");
  EXPECT_EQ(reference.counterpart("block"), "");
  const Inputs inputs =
      reference.inputs({{"x", at::ones({3})}, {"shape", c10::List<std::int64_t>({3})}});
  EXPECT_EQ(inputs.find("eps")->toDouble(), 0.5);
  EXPECT_EQ(of("tuned", "aten::softmax.int").names.size(), 2u);
}

TEST(ReferenceProgram, WithoutOverloadTheOneThatFitsIsTaken) {
  EXPECT_EQ(of("soft", "aten::softmax").program.name, "aten::softmax.int");
}

TEST(ReferenceProgram, AMismatchIsOneSentence) {
  EXPECT_THAT(refusal("soft", "aten::sofmax"),
              AllOf(HasSubstr("'aten::sofmax'"), HasSubstr("nearest is 'aten::softmax'")));
  EXPECT_THAT(refusal("soft", "aten::softmax.in"),
              AllOf(HasSubstr("unknown overload"), HasSubstr("aten::softmax.int")));
  EXPECT_THAT(refusal("soft", "aten::mul.Tensor"),
              AllOf(HasSubstr("'int axis' of reference_planted::soft"), HasSubstr("'Tensor other'"),
                    HasSubstr("expected the same kind")));
  EXPECT_THAT(refusal("needs_more", "aten::log_softmax.int"), HasSubstr("expected the same kind"));
  EXPECT_THAT(refusal("needs_more", "aten::logcumsumexp"),
              AllOf(HasSubstr("'int[] block'"), HasSubstr("or a default")));
  EXPECT_THAT(refusal("two", "aten::exp"), HasSubstr("2 results, aten::exp 1"));
  EXPECT_THAT(refusal("two", "aten::softmax.int"),
              AllOf(HasSubstr("'int dim' of aten::softmax.int"), HasSubstr("default")));
  EXPECT_THAT(refusal("maybe", "aten::exp"), HasSubstr("expected the same kind"));
}

TEST(ReferenceProgram, JudgesWhatHasNoDouble) {
  const std::string args = R"("args":{"x":{"shape":[4,50],"fill":"normal"},"axis":1})";
  const Result right = judged(R"("op":"reference_planted::soft",)" + args, "aten::softmax.int");
  EXPECT_TRUE(right.ok) << right.message;
  EXPECT_EQ(right.oracle, "quad of aten::softmax.int");
  const Result wrong =
      judged(R"("op":"reference_planted::soft_unscaled",)" + args, "aten::softmax.int");
  EXPECT_EQ(wrong.verdict, Verdict::unstable);
}

TEST(ReferenceProgram, WorksInSteps) {
  const std::string body =
      R"("inputs":{"x":{"shape":[4,50],"fill":"normal"}},"steps":[
         {"op":"aten::mul.Scalar","args":{"self":"$x","other":2},"out":"y"},
         {"op":"reference_planted::soft_unscaled","args":{"x":"$y","axis":1}}])";
  const Result row = judged(body, "reference_planted::*=aten::softmax.int");
  EXPECT_EQ(row.verdict, Verdict::unstable) << row.message;
}

TEST(ReferenceProgram, JudgesTheGradientToo) {
  const std::string body = R"(,"args":{"x":{"data":[1,2,3]}},"grad":["x"])";
  const Result row =
      judged(R"("op":"reference_planted::half_wrong_gradient")" + body, "aten::mul.Scalar");
  EXPECT_EQ(row.verdict, Verdict::unstable);
  EXPECT_EQ(row.where, "grad:x");
  EXPECT_THROW(judged(R"("op":"reference_planted::half_no_gradient")" + body, "aten::mul.Scalar"),
               InputError);
}

TEST(ReferenceProgram, ItsTraitsHoldButNotWhatTorchsNotesSayOfIt) {
  const Traits traits = traits_by(of("total", "aten::sum.dim_IntList"), {});
  EXPECT_EQ(traits.reduction, Reduction::whole);
  ReferenceProgram documented = of("total", "aten::sum.dim_IntList");
  documented.program.traits.documented = "somewhere";
  EXPECT_EQ(traits_by(documented, {}).documented, "");
}

}  // namespace
}  // namespace plumb
