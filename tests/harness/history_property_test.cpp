// What was asked before changes no answer, and no variant leaves a flag of torch as it must not be.

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

/// What torch keeps for the whole process, in text.
std::string flags_of_torch() {
  const at::Context& context = at::globalContext();
  std::string text = at::toString(context.qEngine());
  for (const bool flag : {context.allowTF32CuBLAS(), context.deterministicAlgorithms(),
                          context.userEnabledMathSDP(), context.userEnabledFlashSDP(),
                          context.userEnabledMemEfficientSDP(), context.userEnabledMkldnn(),
                          at::GradMode::is_enabled(), c10::InferenceMode::is_enabled()}) {
    text += flag ? " 1" : " 0";
  }
  return text + " " + std::to_string(static_cast<int>(context.float32MatmulPrecision())) + " " +
         std::to_string(at::get_num_threads());
}

struct Question {
  std::string op;
  Inputs inputs;
};

/// The last is refused by torch.
const std::vector<Question>& questions() {
  static const std::vector<Question> all = [] {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(5);
    const at::Tensor x = at::randn({3, 64}, generator);
    const at::Tensor w = at::randn({32, 64}, generator);
    const at::Tensor heads = at::randn({1, 2, 8, 16}, generator);
    return std::vector<Question>{
        {"aten::linear", {{"input", x}, {"weight", w}}},
        {"aten::linear", {{"input", x.to(at::kBFloat16)}, {"weight", w.to(at::kBFloat16)}}},
        {"aten::scaled_dot_product_attention",
         {{"query", heads}, {"key", heads + 1}, {"value", heads * 2}}},
        {"aten::softmax.int", {{"self", x}, {"dim", 1}}},
        {"aten::linear", {{"input", x}, {"weight", x.t()}}},
    };
  }();
  return all;
}

const std::vector<std::string>& variants() {
  static const std::vector<std::string> all = {
      "eager",       "jit",         "int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm",
      "int8-weight", "int4-weight", "fp8",          "sdpa-math",           "sdpa-flash",
      "eager-tf32",  "ggml-q8_0"};
  return all;
}

std::string answer_to(std::size_t question, const std::string& variant) {
  const Question& asked = questions()[question];
  Settings settings;
  settings.variant = variant;
  settings.relations = {"layout", "threads"};
  const Subject subject{
      operator_program(*operator_named(asked.op)), asked.inputs, std::nullopt, {}};
  const Result row = evaluate(subject, settings).result;
  return std::string(to_string(row.verdict)) + " " + row.digest + " " + row.path_hash;
}

/// Answers so far, by question and variant.
using Answers = std::map<std::pair<std::size_t, std::string>, std::string>;

struct World {
  Answers answers;
  std::string flags;
};

struct Ask : rc::state::Command<int, World> {
  std::size_t question = *rc::gen::inRange<std::size_t>(0, questions().size());
  std::string variant = *rc::gen::elementOf(variants());

  void run(const int&, World& world) const override {
    const std::string answer = answer_to(question, variant);
    const auto [first, is_new] = world.answers.emplace(std::pair(question, variant), answer);
    RC_ASSERT(answer == first->second);
    RC_ASSERT(flags_of_torch() == world.flags);
  }

  void show(std::ostream& out) const override {
    out << questions()[question].op << " " << question << " in " << variant;
  }
};

RC_GTEST_PROP(HistoryProperty, WhatWasAskedBeforeChangesNothing, ()) {
  static World world{.answers = {}, .flags = flags_of_torch()};  // of all sequences
  rc::state::check(0, world, rc::state::gen::execOneOfWithArgs<Ask>());
}

}  // namespace
}  // namespace plumb
