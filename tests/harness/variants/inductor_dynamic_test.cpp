// Compiling takes seconds: few programs, many sizes each.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/errors.hpp"
#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "harness/variants/inductor/package.hpp"
#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

/// With a cache of its own, so that what is compiled can be counted.
class InductorDynamic : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = inductor::why_no_compiler()) GTEST_SKIP() << *why;
    setenv("PLUMB_CACHE", folder_.path().c_str(), 1);
  }
  void TearDown() override { unsetenv("PLUMB_CACHE"); }

  std::size_t packages() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "inductor")) {
      count += entry.path().extension() == ".pt2" ? 1 : 0;
    }
    return count;
  }

  static const Variant& variant() { return variant_or_usage_error("inductor-dynamic"); }

 private:
  ScratchFolder folder_;
};

Program exp_of_x() {
  return native_program("exp", [](const Inputs& in) { return in["x"].exp() * in["x"].size(0); });
}

Inputs of_shape(at::IntArrayRef shape) {
  return {{"x", at::arange(c10::multiply_integers(shape), at::kFloat).reshape(shape) / 50 - 1}};
}

TEST_F(InductorDynamic, OnePackageServesAllSizes) {
  Settings settings;
  settings.variant = "inductor-dynamic";
  const Program linear = operator_program(*operator_named("aten::linear"));
  for (const auto& [rows, columns] : {std::pair{5, 4}, std::pair{9, 17}, std::pair{33, 64}}) {
    const Inputs inputs = {{"input", of_shape({rows, columns})["x"]},
                           {"weight", of_shape({7, columns})["x"]}};
    const Result row = evaluate({linear, inputs, at::kFloat, {}}, settings).result;
    EXPECT_TRUE(row.verdict == Verdict::stable || row.verdict == Verdict::exact)
        << rows << "x" << columns << ": " << row.message;
  }
  EXPECT_EQ(packages(), 1U);
}

/// Planted: the compiler takes a size that was read for a constant of the program, and it is one.
TEST_F(InductorDynamic, ASizeThatWasReadIsOfTheProgram) {
  const Prepared prepared = variant().prepare(exp_of_x(), of_shape({5, 4}), c10::kCPU);
  const Inputs same_rows = of_shape({5, 6});
  EXPECT_TRUE(prepared(same_rows).outputs.front().tensor.allclose(same_rows["x"].exp() * 5));
}

/// 1 is another package: the compiler broadcasts what has one element.
TEST_F(InductorDynamic, ASizeOfOneIsCompiledApart) {
  const Program sine = operator_program(*operator_named("aten::sin"));
  const auto of = [](at::IntArrayRef shape) { return Inputs{{"self", of_shape(shape)["x"]}}; };
  variant().prepare_many({{sine, of({5, 4})}, {sine, of({6, 7})}, {sine, of({5, 1})}}, c10::kCPU);
  EXPECT_EQ(packages(), 2U);
  for (const auto& shape : {std::vector<std::int64_t>{8, 9}, std::vector<std::int64_t>{3, 1}}) {
    const Inputs inputs = of(shape);
    EXPECT_TRUE(variant()
                    .execute(sine, inputs, c10::kCPU)
                    .outputs.front()
                    .tensor.allclose(inputs["self"].sin()));
  }
  EXPECT_EQ(packages(), 2U);
}

/// The shape of a view is a number of the program: no other size fits it.
TEST_F(InductorDynamic, ASizeThatTheProgramFixesIsSaidInWords) {
  const Program view = native_program("view", [](const Inputs& in) {
    return in["x"].reshape({5, 2, 2}).exp();
  });
  Settings settings;
  settings.variant = "inductor-dynamic";
  const Result row = evaluate({view, of_shape({5, 4}), at::kFloat, {}}, settings).result;
  EXPECT_EQ(row.verdict, Verdict::skipped) << row.message;
  EXPECT_THAT(row.message, testing::AnyOf(testing::HasSubstr("the compiler fixed a size"),
                                          testing::HasSubstr("AOTInductor cannot compile it")));
}

TEST_F(InductorDynamic, TakesNoPackage) {
  Program given = exp_of_x();
  given.package = "net.pt2";
  EXPECT_EQ(variant().unavailable(given, c10::kCPU), "a package is compiled already");
}

}  // namespace
}  // namespace plumb
