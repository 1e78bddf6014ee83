#include "harness/recording.hpp"

#include <limits>

#include <ATen/ATen.h>

#include "harness/digest.hpp"
#include "harness/placement.hpp"

namespace plumb {
namespace {

bool holds_numbers(const at::Tensor& tensor) {
  return tensor.is_floating_point() || tensor.is_complex();
}

/// What nobody computes, in two kinds: a value that one of them happens to be right is not right
/// in the other.
void poison(const at::Tensor& tensor, bool other_kind) {
  const at::Tensor memory = memory_of(tensor);
  if (holds_numbers(tensor)) {
    memory.fill_(other_kind ? 1.5 : std::numeric_limits<double>::quiet_NaN());
  } else {
    memory.fill_(other_kind ? 1 : 0);
  }
}

void spoil(const std::vector<at::Tensor>& example) {
  for (const at::Tensor& tensor : example) poison(tensor, false);
}

/// Blocks of the sizes a program has used are what an allocator hands out again first.
void take_and_fill_memory(const Recording& recording) {
  std::vector<at::Tensor> taken;
  for (const auto* tensors : {&recording.inputs(), &recording.outputs()}) {
    for (const at::Tensor& tensor : *tensors) {
      for (int i = 0; i < 3; ++i) {
        taken.push_back(recording.allocate(tensor));
        poison(taken.back(), false);
      }
    }
  }
}

/// "output 1", or empty where all bits agree.
std::string first_difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_bits(a[i], b[i])) return "output " + std::to_string(i);
  }
  return "";
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> copied;
  for (const at::Tensor& tensor : tensors)
    copied.push_back(tensor.detach().to(at::kCPU, tensor.scalar_type(), false, /*copy=*/true));
  return copied;
}

/// What lies between two plays, and what it is called.
struct Disturbance {
  const char* name;
  std::function<void()> cause;
};

}  // namespace

void load_inputs(const Recording& recording, const std::vector<at::Tensor>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    memory_of(recording.inputs()[i]).copy_(memory_of(values[i]));
  }
}

Plays play_under_disturbance(Recording& recording, const TensorProgram& program,
                             const std::vector<at::Tensor>& example,
                             const std::vector<at::Tensor>& values) {
  const std::vector<at::Tensor> others = decoys(values);
  // The outputs first: one may be an input.
  const auto play = [&](const std::vector<at::Tensor>& given, bool other_kind) {
    for (const at::Tensor& output : recording.outputs()) poison(output, other_kind);
    load_inputs(recording, given);
    recording.play();
  };
  const Disturbance disturbances[] = {
      {"with nothing changed but what its outputs held", [] {}},
      {"after other inputs", [&] { play(others, false); }},
      {"after memory was taken and freed", [&] { take_and_fill_memory(recording); }},
      {"after other work", [&] { program(decoys(values)); }},
  };
  spoil(example);
  play(values, false);
  Plays plays{copies(recording.outputs()), ""};
  int number = 1;
  for (const Disturbance& disturbance : disturbances) {
    ++number;
    disturbance.cause();
    play(values, number % 2 == 0);
    std::vector<at::Tensor> again = copies(recording.outputs());
    const std::string place = first_difference(plays.outputs, again);
    if (place.empty()) continue;
    if (&disturbance != disturbances) plays.outputs = std::move(again);
    plays.fault = "play " + std::to_string(number) + " of what was recorded, " + disturbance.name +
                  ", differs from play 1 in " + place;
    break;
  }
  return plays;
}

std::vector<at::Tensor> decoys(const std::vector<at::Tensor>& values) {
  std::vector<at::Tensor> others;
  for (const at::Tensor& value : values) {
    at::Tensor memory = memory_of(value).clone();
    if (holds_numbers(value)) memory = memory.numel() > 1 ? memory.roll(1) : memory / 2;
    others.push_back(memory.as_strided(value.sizes(), value.strides(), value.storage_offset()));
  }
  return others;
}

}  // namespace plumb
