// IEEE float, for half and quantised variants only: its own error enters the bound.

#include <cmath>

#include "harness/oracle.hpp"

namespace plumb {
namespace {

bool has_wide_input(const Inputs& inputs) {
  bool wide = false;
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    wide = wide || tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
  });
  return wide;
}

const Register<Oracle> registered{{
    .name = "fp32",
    .about = "the same program in IEEE float (no TF32), for half and quantised variants",
    .unavailable = [](const Program&, const Inputs& inputs) -> std::optional<std::string> {
      if (!has_wide_input(inputs)) return std::nullopt;
      return "fp32 is the oracle of half and quantised variants only";
    },
    .evaluate = [](const Program& program,
                   const Inputs& inputs) { return evaluate_widened(program, inputs, at::kFloat); },
    .roundoff = std::ldexp(1.0, -24),
    .runs_program = true,
}};

}  // namespace
}  // namespace plumb
