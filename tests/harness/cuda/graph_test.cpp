// CUDA graphs on a device: healthy ones, planted faults and refusals.

#include <gmock/gmock.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "tests/harness/cuda/gpu_test.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

class GpuGraph : public GpuTest {};

Result judged(const Program& program, const Inputs& inputs, c10::ScalarType dtype = at::kFloat) {
  Settings settings;
  settings.variant = "cudagraph";
  settings.device = c10::Device(c10::kCUDA);
  return evaluate({program, cast(inputs, dtype), dtype, {}}, settings).result;
}

Inputs two_matrices() {
  return {{"x", at::linspace(-1, 1, 64 * 32).view({64, 32})},
          {"w", at::linspace(-1, 2, 32 * 16).view({32, 16})}};
}

TEST_F(GpuGraph, AProductIsStableInEveryType) {
  const Program program = native_program(
      "program", [](const Inputs& in) { return in["x"].matmul(in["w"]).softmax(-1); });
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const Result row = judged(program, two_matrices(), dtype);
    EXPECT_TRUE(row.ok) << row.message;
    EXPECT_EQ(row.r, row.r_eager);
  }
}

TEST_F(GpuGraph, GradientsAreCapturedToo) {
  Program program = native_program(
      "program", [](const Inputs& in) { return in["x"].matmul(in["w"]).square().sum(); });
  program.grad = {"x", "w"};
  const Result row = judged(program, two_matrices());
  EXPECT_TRUE(row.ok) << row.message;
}

TEST_F(GpuGraph, AStalePointerIsFound) {
  const auto kept = std::make_shared<at::Tensor>();
  const Program program = native_program("program", [kept](const Inputs& in) {
    if (!in["x"].is_cuda()) return in["x"] * 2;  // the oracle
    if (!kept->defined()) *kept = in["x"];       // as a kernel that keeps its first pointer
    return *kept * 2;
  });
  EXPECT_EQ(judged(program, two_matrices()).verdict, Verdict::nonfinite);
}

struct Refused {
  const char* name;
  std::function<at::Tensor(const Inputs&)> program;
  const char* cause;
};

TEST_F(GpuGraph, RefusalsAreNamed) {
  const Refused refused[] = {
      {"item", [](const Inputs& in) { return in["x"] * in["x"].max().item<double>(); }, ".item()"},
      {"nonzero", [](const Inputs& in) { return in["x"].nonzero().to(at::kFloat); },
       "dynamic shape"},
      {"masked_select", [](const Inputs& in) { return in["x"].masked_select(in["x"].gt(0)); },
       "dynamic shape"},
      {"to the host", [](const Inputs& in) { return in["x"].to(at::kCPU) * 2; }, "host"},
  };
  for (const Refused& one : refused) {
    const Result row = judged(native_program("program", one.program), two_matrices());
    EXPECT_EQ(row.verdict, Verdict::skipped) << one.name << ": " << row.message;
    EXPECT_THAT(row.message, HasSubstr("it cannot be captured")) << one.name;
    EXPECT_THAT(row.message, HasSubstr(one.cause)) << one.name;
  }
  // A refusal leaves the process fit for the next capture.
  const Program healthy = native_program("program", [](const Inputs& in) { return in["x"] * 2; });
  EXPECT_TRUE(judged(healthy, two_matrices()).ok);
}

TEST_F(GpuGraph, AnOperatorThatWritesToItsArgumentIsJudged) {
  const Result row =
      judged(operator_program(*operator_named("aten::exp_")), {{"self", at::linspace(-1, 1, 9)}});
  EXPECT_TRUE(row.ok) << row.message;
}

}  // namespace
}  // namespace plumb
