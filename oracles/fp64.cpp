// The same program on exactly the same rounded inputs, in double.

#include "harness/oracle.hpp"

namespace plumb {
namespace {

const Register<Oracle> registered{{
    .name = "fp64",
    .about = "the same program on the same rounded inputs, in double",
    .unavailable = [](const Program&, const Inputs&) { return std::nullopt; },
    .evaluate = [](const Program& program,
                   const Inputs& inputs) { return evaluate_widened(program, inputs, at::kDouble); },
    .runs_program = true,
}};

}  // namespace
}  // namespace plumb
