// The program as torch runs it, operator by operator.

#include "harness/variant.hpp"

namespace plumb {
namespace {

const Register<Variant> registered{{
    .name = "eager",
    .about = "operator by operator, as torch runs it",
    .unavailable = [](const Program&, c10::Device device) { return device_unavailable(device); },
    .execute = [](const Program& program, const Inputs& inputs,
                  c10::Device) { return execute(program, inputs); },
}};

}  // namespace
}  // namespace plumb
