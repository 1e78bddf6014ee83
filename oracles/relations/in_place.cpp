// An operator that writes to its first argument must write what the plain one returns.

#include <ATen/ATen.h>

#include "harness/relation.hpp"
#include "oracles/relations/written.hpp"

namespace plumb {
namespace {

const Register<Relation> registered{{
    .name = "in-place",
    .about = "the operator in place gives what it gives out of place",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      if (!asked.program.grad.empty() || asked.outputs.size() != 1) return std::nullopt;
      const auto twin = in_place_twin(asked.program.name);
      if (!twin) return std::nullopt;
      const c10::IValue* self = asked.inputs.find(twin->schema().arguments().front().name());
      const at::Tensor& output = asked.outputs.front().tensor;
      const bool fits = self != nullptr && self->isTensor() &&
                        self->toTensor().sizes() == output.sizes() &&
                        self->toTensor().scalar_type() == output.scalar_type();
      if (!fits) return std::nullopt;
      return asked.run(operator_program(*twin), private_copy(asked.inputs));
    },
}};

}  // namespace
}  // namespace plumb
