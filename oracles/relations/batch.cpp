// A batch must give what its halves give, wherever that is so in exact arithmetic.

#include <ATen/ATen.h>

#include "harness/oracle.hpp"
#include "harness/relation.hpp"

namespace plumb {
namespace {

/// Rows of the batch: the first dimension of output 0, where the inputs have it too.
std::int64_t batch_size(const Asked& asked) {
  const at::Tensor& output = asked.outputs.front().tensor;
  if (output.dim() < 2 || asked.program.cotangent) return 0;
  bool found = false;
  asked.inputs.each([&](const std::string&, const at::Tensor& tensor) {
    found |= tensor.dim() >= 2 && tensor.size(0) == output.size(0);
  });
  return found ? output.size(0) : 0;
}

bool has_rows(const at::Tensor& tensor, std::int64_t size) {
  return tensor.dim() >= 2 && tensor.size(0) == size;
}

/// The inputs that belong to rows [begin, end); those of another size belong to all.
Inputs rows_of(const Inputs& inputs, std::int64_t size, std::int64_t begin, std::int64_t end) {
  return inputs.map([&](const std::string&, const at::Tensor& tensor) {
    return has_rows(tensor, size) ? tensor.slice(0, begin, end).clone() : tensor.clone();
  });
}

Sketch::Run rows_in_words(const Inputs& inputs, std::int64_t size, std::int64_t begin,
                          std::int64_t count) {
  return for_each_tensor(inputs, [&](const at::Tensor& tensor) -> std::string {
    if (!has_rows(tensor, size)) return "{}";
    return "{}.narrow(0, " + std::to_string(begin) + ", " + std::to_string(count) + ").clone()";
  });
}

using Run = std::function<Outputs(const Inputs&)>;

/// The answers of both halves joined; empty where their shapes do not fit the whole.
std::optional<Outputs> joined_halves(const Inputs& inputs, const Outputs& whole, std::int64_t size,
                                     const Run& run) {
  const std::int64_t half = size / 2;
  Outputs first = run(rows_of(inputs, size, 0, half));
  const Outputs second = run(rows_of(inputs, size, half, size));
  if (first.size() != whole.size() || second.size() != whole.size()) return std::nullopt;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    at::Tensor& tensor = first[i].tensor;
    const bool joins = tensor.dim() > 0 && tensor.size(0) == half && whole[i].tensor.dim() > 0 &&
                       whole[i].tensor.size(0) == size;
    tensor = joins ? at::cat({tensor, second[i].tensor}) : at::Tensor();
    if (tensor.defined() && tensor.sizes() != whole[i].tensor.sizes()) return std::nullopt;
  }
  return first;
}

/// Statistics over the batch make its rows depend on each other; so may a shape of [n, n].
bool holds_in_double(const Asked& asked, std::int64_t size) {
  const Run run = [&](const Inputs& inputs) {
    return execute(asked.program, private_cast(inputs, at::kDouble), at::kDouble);
  };
  const Outputs whole = run(asked.inputs);
  const auto halves = joined_halves(asked.inputs, whole, size, run);
  if (!halves) return false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const at::Tensor& tensor = (*halves)[i].tensor;
    if (!tensor.defined()) continue;
    if (!at::allclose(tensor, whole[i].tensor, 1e-12, 0, /*equal_nan=*/true)) return false;
  }
  return true;
}

const Register<Relation> registered{{
    .name = "batch",
    .about = "the halves of a batch give the answer of the whole",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const std::int64_t size = batch_size(asked);
      if (size < 2 || !holds_in_double(asked, size)) return std::nullopt;
      return joined_halves(asked.inputs, asked.outputs, size,
                           [&](const Inputs& inputs) { return asked.run(inputs); });
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const std::int64_t size = batch_size(asked), half = size / 2;
          return Sketch{.runs = {rows_in_words(asked.inputs, size, 0, half),
                                 rows_in_words(asked.inputs, size, half, size - half)},
                        .answer = "torch.cat([{0}, {1}])"};
        },
}};

}  // namespace
}  // namespace plumb
