// An operator that writes to `out=` must overwrite whatever was there.

#include <limits>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/relation.hpp"
#include "oracles/relations/written.hpp"

namespace plumb {
namespace {

/// A buffer as the output needs it, full of what must not survive.
at::Tensor poisoned(const at::Tensor& like) {
  const at::Tensor buffer = at::empty(like.sizes(), like.options());
  if (like.is_floating_point() || like.is_complex()) {
    return buffer.fill_(std::numeric_limits<double>::quiet_NaN());
  }
  return buffer.fill_(like.scalar_type() == at::kBool ? 1 : 113);
}

std::string poison_in_words(const at::Tensor& like) {
  if (like.is_floating_point() || like.is_complex()) return "float(\"nan\")";
  return like.scalar_type() == at::kBool ? "True" : "113";
}

const Register<Relation> registered{{
    .name = "out",
    .about = "the operator with out= gives what it returns without",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      if (!asked.program.grad.empty()) return std::nullopt;
      const auto twin = out_twin(asked.program.name);
      if (!twin) return std::nullopt;
      Inputs inputs = private_copy(asked.inputs);
      std::size_t i = 0;
      for (const c10::Argument& argument : twin->schema().arguments()) {
        if (argument.alias_info() == nullptr || !argument.alias_info()->isWrite()) continue;
        const bool is_tensor = argument.type()->kind() == c10::TypeKind::TensorType;
        if (!is_tensor || i >= asked.outputs.size()) return std::nullopt;
        inputs.set(argument.name(), poisoned(asked.outputs[i++].tensor));
      }
      return asked.run(operator_program(*twin), inputs);
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          Sketch sketch{.op = full_name(out_twin(asked.program.name)->operator_name())};
          for (const Output& output : asked.outputs) {
            sketch.buffers.push_back(poison_in_words(output.tensor));
          }
          return sketch;
        },
}};

}  // namespace
}  // namespace plumb
