// CUDA graphs: a run is captured on a stream of its own and replayed on the same memory.

#include "harness/variants/cudagraph.hpp"

#include <ATen/ATen.h>

#include "harness/capture_refusal.hpp"
#include "harness/device_plugin.hpp"
#include "harness/graph.hpp"
#include "harness/raised.hpp"
#include "harness/trace.hpp"

namespace plumb {
namespace {

/// cuBLAS, cuDNN and lazily loaded kernels take memory in their first runs, and choose what to run.
constexpr int kWarmUps = 3;

std::vector<at::Tensor> tensors_in(const Outputs& outputs) {
  std::vector<at::Tensor> tensors;
  for (const Output& output : outputs) tensors.push_back(output.tensor.detach());
  return tensors;
}

std::vector<at::Tensor> tensors_of_copy(const Inputs& inputs) {
  return tensors_of(private_copy(inputs));
}

/// The program as one of tensors alone, and the names of what it returned last.
struct Bare {
  Bare(const Program& program, const Inputs& inputs)
      : run([this, program, inputs](const std::vector<at::Tensor>& tensors) {
          const Outputs outputs = execute(program, with_tensors(inputs, tensors));
          const TracePause unseen;
          names.clear();
          for (const Output& output : outputs) names.push_back(output.name);
          return tensors_in(outputs);
        }) {}
  Bare(const Bare&) = delete;

  Outputs named(const std::vector<at::Tensor>& tensors) const {
    Outputs outputs;
    for (std::size_t i = 0; i < tensors.size(); ++i) outputs.push_back({names[i], tensors[i]});
    return outputs;
  }

  TensorProgram run;
  std::vector<std::string> names;
};

/// What the host computes is done once, when it is recorded.
void refuse_work_of_the_host(const Recording& recording) {
  for (const at::Tensor& input : recording.inputs()) {
    for (const at::Tensor& output : recording.outputs()) {
      if (output.device() == input.device()) continue;
      throw CannotRun("it cannot be captured: an output is computed on the host");
    }
  }
}

/// Recorded, with the run that is recorded on the path and no other.
std::unique_ptr<Recording> recorded(const TensorProgram& program,
                                    const std::vector<at::Tensor>& example,
                                    const std::vector<at::Tensor>& inputs,
                                    const Recorder& recorder) {
  // A recording may keep the program for longer than this call.
  const at::Tensor warm = example.empty() ? at::Tensor() : example.front();
  const TensorProgram traced_once = [program, warm](const std::vector<at::Tensor>& tensors) {
    const bool warms_up = !tensors.empty() && tensors.front().is_same(warm);
    const auto pause = warms_up ? std::make_unique<TracePause>() : nullptr;
    return program(tensors);
  };
  try {
    auto recording = recorder(traced_once, example, inputs);
    refuse_work_of_the_host(*recording);
    return recording;
  } catch (const std::exception& error) {
    if (const auto why = capture_refusal(error.what(), path_so_far())) throw CannotRun(*why);
    throw;
  }
}

std::unique_ptr<Recording> captured(const TensorProgram& program,
                                    const std::vector<at::Tensor>& example,
                                    const std::vector<at::Tensor>& inputs) {
  return cuda_plugin()->record(program, example, inputs, kWarmUps);
}

std::optional<std::string> unavailable(const Program&, c10::Device device) {
  if (device.is_cuda()) return device_unavailable(device);
  return without_cuda("it captures what runs on a CUDA device");
}

const Register<Variant> registered{{
    .name = "cudagraph",
    .about = "captured as a CUDA graph and replayed five times, with other inputs, allocations and "
             "work between the replays",
    .unavailable = unavailable,
    .execute = [](const Program& program, const Inputs& inputs,
                  c10::Device) { return played(program, inputs, captured); },
    .prepare = [](const Program& program, const Inputs& example,
                  c10::Device) { return prepared_recording(program, example, captured); },
}};

}  // namespace

Execution played(const Program& program, const Inputs& inputs, const Recorder& recorder) {
  Bare bare(program, inputs);
  const std::vector<at::Tensor> values = tensors_of(inputs);
  const auto other_values = [&values] {
    const TracePause unseen;
    return decoys(values);
  };
  const std::vector<at::Tensor> example = other_values();
  const auto recording = recorded(bare.run, example, other_values(), recorder);
  const TracePause pause;
  Plays plays = play_under_disturbance(*recording, bare.run, example, values);
  Execution execution(bare.named(plays.outputs));
  execution.unsteady = std::move(plays.fault);
  return execution;
}

Prepared prepared_recording(const Program& program, const Inputs& example,
                            const Recorder& recorder) {
  const auto bare = std::make_shared<Bare>(program, example);
  const std::shared_ptr<Recording> recording =
      recorded(bare->run, tensors_of_copy(example), tensors_of_copy(example), recorder);
  return [bare, recording](const Inputs& inputs) {
    load_inputs(*recording, tensors_of(private_copy(inputs)));
    recording->play();
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& output : recording->outputs()) outputs.push_back(output.clone());
    return Execution(bare->named(outputs));
  };
}

}  // namespace plumb
