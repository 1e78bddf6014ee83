// What an element comes to must not depend on where it stands: alone, at the tail of a vector, or
// inside a long one. Kernels have a loop for whole vectors and another for what is left over.

#include <ATen/ATen.h>

#include "harness/relation.hpp"
#include "oracles/relations/flat_place.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kLong = 64;  // two AVX-512 vectors of the widest unrolling of half types

/// Elements that all tensors share, where they do and every output element is made of one each.
std::optional<std::int64_t> common_count(const Asked& asked) {
  const bool one_each =
      asked.program.traits.reduction == Reduction::pointwise && !asked.program.cotangent;
  if (!one_each) return std::nullopt;
  std::optional<std::int64_t> count;
  bool same = true;
  const auto visit = [&](const at::Tensor& tensor) {
    if (tensor.dim() == 0) return;
    if (!count) count = tensor.numel();
    same &= tensor.numel() == *count;
  };
  asked.inputs.each([&](const std::string&, const at::Tensor& tensor) { visit(tensor); });
  for (const Output& output : asked.outputs) visit(output.tensor);
  const bool any = count && *count > 0 && same;
  return any ? count : std::nullopt;
}

using Change = std::function<at::Tensor(const at::Tensor& flat)>;

/// Every tensor but single numbers, flat, changed.
Inputs rearranged(const Inputs& inputs, const Change& change) {
  return inputs.map([&](const std::string&, const at::Tensor& tensor) {
    return tensor.dim() == 0 ? tensor.clone() : change(tensor.flatten()).contiguous();
  });
}

/// A short vector becomes the beginning of a long one.
std::optional<Outputs> in_a_long_one(const Asked& asked, std::int64_t count) {
  Outputs again = asked.run(rearranged(asked.inputs, [&](const at::Tensor& flat) {
    return flat.repeat({(kLong + count) / count});
  }));
  for (std::size_t i = 0; i < again.size(); ++i) {
    const at::IntArrayRef sizes = asked.outputs[i].tensor.sizes();
    const at::Tensor& tensor = again[i].tensor;
    again[i].tensor = tensor.dim() == 0 ? at::Tensor() : tensor.slice(0, 0, count).reshape(sizes);
  }
  return again;
}

/// Of a long one every element moves on by one, and the first and the last are asked alone.
std::optional<Outputs> moved_on(const Asked& asked, std::int64_t count) {
  Outputs again =
      asked.run(rearranged(asked.inputs, [](const at::Tensor& flat) { return flat.roll(1); }));
  for (Output& output : again) output.tensor = output.tensor.roll(-1);
  for (const std::int64_t place : {std::int64_t{0}, count - 1}) {
    const Outputs alone = asked.run(rearranged(
        asked.inputs, [&](const at::Tensor& flat) { return flat.slice(0, place, place + 1); }));
    for (std::size_t i = 0; i < again.size(); ++i) {
      again[i].tensor.slice(0, place, place + 1).copy_(alone[i].tensor);
    }
  }
  for (std::size_t i = 0; i < again.size(); ++i) {
    again[i].tensor = again[i].tensor.reshape(asked.outputs[i].tensor.sizes());
  }
  return again;
}

/// Of the element at `place` of `count`.
Sketch in_words(const Asked& asked, std::int64_t count, std::int64_t place) {
  const auto each = [&](const std::string& change) -> std::vector<Sketch::Run> {
    return {for_each_tensor(asked.inputs, [&](const at::Tensor& tensor) {
      return tensor.dim() == 0 ? "{}" : "{}.flatten()" + change;
    })};
  };
  if (count < kLong) {
    return {.runs = each(".repeat(" + std::to_string((kLong + count) / count) + ")"),
            .answer = "{0}.narrow(0, 0, " + std::to_string(count) + ").reshape_as({first})"};
  }
  if (place == 0 || place == count - 1) {
    return {.runs = each(".narrow(0, " + std::to_string(place) + ", 1).clone()"),
            .answer = "{0}.expand_as({first})"};
  }
  return {.runs = each(".roll(1)"), .answer = "{0}.roll(-1).reshape_as({first})"};
}

const Register<Relation> registered{{
    .name = "position",
    .about = "an element comes to the same alone, at the end and inside a long vector",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const auto count = common_count(asked);
      if (!count) return std::nullopt;
      return *count < kLong ? in_a_long_one(asked, *count) : moved_on(asked, *count);
    },
    .sketch =
        [](const Asked& asked, std::size_t output, const std::vector<std::int64_t>& index) {
          const at::IntArrayRef sizes = asked.outputs[output].tensor.sizes();
          return in_words(asked, *common_count(asked), flat_place(sizes, index));
        },
}};

}  // namespace
}  // namespace plumb
