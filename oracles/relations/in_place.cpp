// An operator that writes to its first argument must write what the plain one returns.

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>

#include "harness/overloads.hpp"
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
      Inputs inputs = private_copy(asked.inputs);
      // Elements of an expanded tensor share memory: writing one writes others.
      const at::Tensor& first = self->toTensor();
      if (at::has_internal_overlap(first) != at::MemOverlap::No) {
        inputs.set(twin->schema().arguments().front().name(),
                   first.clone(at::MemoryFormat::Contiguous));
      }
      return asked.run(operator_program(*twin), inputs);
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          return Sketch{.op = full_name(in_place_twin(asked.program.name)->operator_name())};
        },
}};

}  // namespace
}  // namespace plumb
