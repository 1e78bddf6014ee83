// The variant with planted recorders in the place of a device: each fault gets its verdict.

#include "harness/variants/cudagraph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/device_plugin.hpp"
#include "harness/run.hpp"
#include "harness/trace.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

using Tensors = std::vector<at::Tensor>;

enum class Fault { none, stale_pointer, frozen_values, skips_writing, previous_inputs };

/// What a device would do, with one fault.
class Planted : public Recording {
 public:
  Planted(Fault fault, TensorProgram program, Tensors example, Tensors inputs)
      : fault_(fault), program_(std::move(program)), example_(std::move(example)) {
    inputs_ = std::move(inputs);
    program_(example_);
    outputs_ = program_(inputs_);
    const TracePause pause;
    frozen_ = outputs_.front().clone();
  }

  const Tensors& inputs() const override { return inputs_; }
  const Tensors& outputs() const override { return outputs_; }
  at::Tensor allocate(const at::Tensor& tensor) const override { return at::empty_like(tensor); }

  void play() override {
    const at::Tensor right = program_(inputs_).front();
    at::Tensor& y = outputs_.front();
    switch (fault_) {
      case Fault::none: y.copy_(right); break;
      case Fault::stale_pointer: y.copy_(program_(example_).front()); break;
      case Fault::frozen_values: y.copy_(frozen_); break;
      case Fault::skips_writing: y.slice(0, 1).copy_(right.slice(0, 1)); break;  // but the first
      case Fault::previous_inputs:
        y.copy_(frozen_);
        frozen_ = right;
        break;
    }
  }

 private:
  Fault fault_;
  TensorProgram program_;
  Tensors example_, inputs_, outputs_;
  at::Tensor frozen_;
};

Variant planted(const std::string& name, Fault fault) {
  return {.name = name,
          .about = "planted",
          .unavailable = [](const Program&, c10::Device) { return std::nullopt; },
          .execute =
              [fault](const Program& program, const Inputs& inputs, c10::Device) {
                return played(
                    program, inputs,
                    [&](const TensorProgram& f, const Tensors& example, const Tensors& own) {
                      return std::make_unique<Planted>(fault, f, example, own);
                    });
              }};
}

const Register<Variant> healthy{planted("test-graph", Fault::none)};
const Register<Variant> stale{planted("test-graph-stale", Fault::stale_pointer)};
const Register<Variant> frozen{planted("test-graph-frozen", Fault::frozen_values)};
const Register<Variant> unwritten{planted("test-graph-unwritten", Fault::skips_writing)};
const Register<Variant> late{planted("test-graph-late", Fault::previous_inputs)};

Result judged(const std::string& variant, c10::ScalarType dtype) {
  const Program program =
      native_program("program", [](const Inputs& in) { return (in["x"] * in["w"]).tanh(); });
  const Inputs inputs = {{"x", at::linspace(-2, 2, 64).to(dtype)},
                         {"w", at::linspace(0.5, 1.5, 64).to(dtype)}};
  Settings settings;
  settings.variant = variant;
  return evaluate({program, inputs, dtype, {}}, settings).result;
}

TEST(CudaGraph, AHealthyCaptureIsStable) {
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const Result row = judged("test-graph", dtype);
    EXPECT_EQ(row.verdict, Verdict::stable) << row.message;
    EXPECT_EQ(row.r, row.r_eager);
    EXPECT_EQ(row.path, (std::vector<std::string>{"aten::mul", "aten::tanh"}));
  }
}

TEST(CudaGraph, ACaptureThatReadsAStalePointerIsFound) {
  EXPECT_EQ(judged("test-graph-stale", at::kFloat).verdict, Verdict::nonfinite);
}

TEST(CudaGraph, ACaptureThatKeptItsValuesIsFound) {
  EXPECT_EQ(judged("test-graph-frozen", at::kFloat).verdict, Verdict::unstable);
}

TEST(CudaGraph, ACaptureThatLeavesAnElementUnwrittenIsFound) {
  const Result row = judged("test-graph-unwritten", at::kFloat);
  EXPECT_EQ(row.verdict, Verdict::nonfinite);  // what it was filled with
  EXPECT_EQ(row.worst_index, std::vector<std::int64_t>{0});
}

TEST(CudaGraph, ACaptureThatAnswersForTheInputsBeforeIsFound) {
  EXPECT_EQ(judged("test-graph-late", at::kFloat).verdict, Verdict::unstable);
}

TEST(CudaGraph, ABitThatDependsOnThePlayIsNondeterministic) {
  const Program program =
      native_program("program", [count = std::make_shared<int>()](const Inputs& in) {
        return in["x"] * (++*count == 6 ? 1 + 0x1p-23F : 1);
      });
  Settings settings;
  settings.variant = "test-graph";
  const Result row =
      evaluate({program, {{"x", at::linspace(1, 2, 64)}}, at::kFloat, {}}, settings).result;
  EXPECT_EQ(row.verdict, Verdict::nondeterministic) << row.message;
  EXPECT_THAT(row.message, HasSubstr("differs from play 1"));
}

TEST(CudaGraph, GradientsAreRecordedToo) {
  Program program =
      native_program("program", [](const Inputs& in) { return (in["x"] * in["x"]).sum(); });
  program.grad = {"x"};
  Settings settings;
  settings.variant = "test-graph";
  const Evaluation seen =
      evaluate({program, {{"x", at::linspace(1, 2, 64)}}, at::kFloat, {}}, settings);
  EXPECT_TRUE(seen.result.ok) << seen.result.message;
  EXPECT_EQ(seen.outputs.size(), 2U);
}

TEST(CudaGraph, WhatCannotBeCapturedIsSkippedWithTheCause) {
  const Recorder refuses = [](const TensorProgram& program, const Tensors&, const Tensors& inputs) {
    program(inputs);
    TORCH_CHECK(false, "CUDA error: operation not permitted when stream is capturing");
    return std::unique_ptr<Recording>();
  };
  const Program program = native_program(
      "program", [](const Inputs& in) { return in["x"] * in["x"].max().item<double>(); });
  try {
    played(program, {{"x", at::ones({3})}}, refuses);
    FAIL() << "it was not refused";
  } catch (const CannotRun& why) {
    EXPECT_THAT(why.what(), HasSubstr("it cannot be captured"));
  }
}

TEST(CudaGraph, AnOutputOfTheHostIsNoneOfTheGraph) {
  const Program program = native_program(
      "program", [](const Inputs& in) { return at::ones(in["x"].sizes(), at::kMeta); });
  const Recorder on_the_device = [](const TensorProgram& f, const Tensors& example,
                                    const Tensors& inputs) -> std::unique_ptr<Recording> {
    struct OutputElsewhere : Recording {
      const Tensors& inputs() const override { return in; }
      const Tensors& outputs() const override { return out; }
      at::Tensor allocate(const at::Tensor& tensor) const override { return tensor; }
      void play() override {}
      Tensors in, out;
    };
    auto recording = std::make_unique<OutputElsewhere>();
    recording->in = inputs;
    recording->out = f(example);
    return recording;
  };
  EXPECT_THROW(played(program, {{"x", at::ones({3})}}, on_the_device), CannotRun);
}

TEST(CudaGraph, WhatIsPreparedOnceIsPlayedOnOtherNumbers) {
  const Program program = native_program("program", [](const Inputs& in) { return in["x"].exp(); });
  const Prepared prepared =
      prepared_recording(program, {{"x", at::zeros({3})}},
                         [](const TensorProgram& f, const Tensors& example, const Tensors& inputs) {
                           return std::make_unique<Planted>(Fault::none, f, example, inputs);
                         });
  for (const double value : {1.0, 2.0}) {
    const at::Tensor x = at::full({3}, value);
    EXPECT_TRUE(prepared({{"x", x}}).outputs.front().tensor.equal(x.exp()));
  }
}

TEST(CudaGraph, OnTheCpuItSaysWhatItNeeds) {
  const Variant& variant = variant_or_usage_error("cudagraph");
  const auto why = variant.unavailable(Program(), c10::kCPU);
  ASSERT_TRUE(why.has_value());
  EXPECT_THAT(*why, HasSubstr("CUDA device"));
  EXPECT_THAT(*why, HasSubstr(cuda_missing().value_or("--device cuda")));
}

}  // namespace
}  // namespace plumb
