#include <gmock/gmock.h>

#include <ATen/ATen.h>

#include "harness/device_plugin.hpp"
#include "harness/isolate.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "tests/harness/cuda/gpu_test.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

class GpuPlugin : public GpuTest {};

TEST_F(GpuPlugin, DescribesTheDevice) {
  const std::vector<DeviceInfo> devices = cuda_plugin()->devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_NE(devices[0].name, "");
  EXPECT_THAT(devices[0].capability, HasSubstr("."));
  EXPECT_GT(devices[0].memory_bytes, std::uint64_t{1} << 30);
  const DeviceVersions versions = cuda_plugin()->versions();
  for (const std::string& version :
       {versions.driver, versions.runtime, versions.blas, versions.dnn}) {
    EXPECT_THAT(version, HasSubstr("."));
  }
}

TEST_F(GpuPlugin, CountsTheMemoryOfTensors) {
  const DeviceMemory before = cuda_plugin()->memory(0);
  cuda_plugin()->reset_peak_memory(0);
  { const at::Tensor passing = at::empty({64 << 20}, at::device(at::kCUDA).dtype(at::kByte)); }
  const DeviceMemory after = cuda_plugin()->memory(0);
  EXPECT_EQ(after.allocated, before.allocated);
  EXPECT_GE(after.peak_allocated, before.allocated + (64 << 20));
  EXPECT_GE(after.peak_reserved, after.peak_allocated);
}

TEST_F(GpuPlugin, TimesWorkOnTheDevice) {
  const at::Tensor x = at::ones({2048, 2048}, at::kCUDA);
  const auto product = [&] { x.matmul(x); };
  product();
  const double one = cuda_plugin()->seconds_of(product, 20);
  const double four = cuda_plugin()->seconds_of(
      [&] {
        for (int i = 0; i < 4; ++i) product();
      },
      20);
  EXPECT_GT(one, 0);
  EXPECT_GT(four, 2 * one);
}

TEST_F(GpuPlugin, AnOperatorIsJudgedThereAgainstTheHost) {
  Settings settings;
  settings.device = c10::Device(c10::kCUDA);
  const Program program =
      native_program("program", [](const Inputs& in) { return in["x"].matmul(in["w"]); });
  const Inputs inputs = {{"x", at::linspace(-1, 1, 64 * 32).view({64, 32})},
                         {"w", at::linspace(-1, 2, 32 * 16).view({32, 16})}};
  const Evaluation seen = evaluate({program, inputs, at::kFloat, {}}, settings);
  EXPECT_EQ(seen.result.verdict, Verdict::stable) << seen.result.message;
  EXPECT_EQ(seen.result.device, "cuda");
  EXPECT_TRUE(seen.outputs.front().tensor.is_cpu());
}

TEST_F(GpuPlugin, TF32IsFurtherOffAndKeepsItsOwnBound) {
  Settings settings;
  settings.device = c10::Device(c10::kCUDA);
  const Program program =
      native_program("program", [](const Inputs& in) { return in["x"].matmul(in["w"]); });
  const Inputs inputs = {{"x", at::rand({256, 256})}, {"w", at::rand({256, 256})}};
  const auto judged = [&](const char* variant) {
    settings.variant = variant;
    return evaluate({program, inputs, at::kFloat, {}}, settings).result;
  };
  const Result tf32 = judged("eager-tf32");
  EXPECT_EQ(tf32.verdict, Verdict::stable) << tf32.message;
  EXPECT_GT(*tf32.max_rel, 10 * *judged("eager").max_rel);
}

/// After a fault every call of the process fails: the worker is lost, and the run goes on.
TEST_F(GpuPlugin, AFaultCostsOneCase) {
  const auto indexing = [](int index) {
    return Json{{"kind", "test-gpu-index"}, {"device", "cuda"}, {"index", index}};
  };
  std::vector<Outcome> outcomes(3);
  run_isolated(*test_zygote(), {indexing(1), indexing(1'000'000'000), indexing(2)}, 1, {},
               [&](std::size_t i, Outcome outcome) { outcomes[i] = std::move(outcome); });
  EXPECT_EQ(outcomes[0].answer, 1.0);
  EXPECT_EQ(outcomes[1].failure, Verdict::crashed);
  EXPECT_THAT(outcomes[1].reason, HasSubstr("device"));
  EXPECT_EQ(outcomes[2].answer, 2.0);
}

const Register<TaskKind> registered{
    {.name = "test-gpu-index", .serve = [](const Json& task, const Zygote::Announce&) -> Json {
       const at::Tensor x = at::arange(4, at::device(at::kCUDA).dtype(at::kFloat));
       const at::Tensor index =
           at::full({1}, task["index"].get<std::int64_t>(), at::kLong).to(at::kCUDA);
       return x.index_select(0, index).item<double>();
     }}};

}  // namespace
}  // namespace plumb
