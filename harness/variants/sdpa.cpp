// scaled_dot_product_attention by one of its back ends, or not at all.

#include <algorithm>

#include "harness/sdp_backends.hpp"
#include "harness/trace.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

bool is_attention(const std::string& operator_name) {
  return operator_name.find("scaled_dot_product") != std::string::npos;
}

/// Only a traced run shows which operators it is made of.
void refuse_without_attention() {
  const std::vector<std::string> path = path_so_far();
  if (path.empty() || std::any_of(path.begin(), path.end(), is_attention)) return;
  throw CannotRun("the program calls no scaled_dot_product_attention");
}

Variant forced(const std::string& name, at::SDPBackend backend) {
  return {
      .name = "sdpa-" + name,
      .about = "as eager, with attention by its back end " + name + " alone",
      .unavailable = [](const Program&, c10::Device device) { return device_unavailable(device); },
      .execute =
          [name, backend](const Program& program, const Inputs& inputs, c10::Device) {
            const OnlyBackends only({backend});
            Outputs outputs;
            const auto refused = refusal_of_backends([&] { outputs = execute(program, inputs); });
            if (refused) throw CannotRun("torch refuses the back end " + name + ": " + *refused);
            refuse_without_attention();
            return Execution(std::move(outputs));
          }};
}

const Register<Variant> flash{forced("flash", at::SDPBackend::flash_attention)};
const Register<Variant> efficient{forced("efficient", at::SDPBackend::efficient_attention)};
const Register<Variant> cudnn{forced("cudnn", at::SDPBackend::cudnn_attention)};
const Register<Variant> math{forced("math", at::SDPBackend::math)};

}  // namespace
}  // namespace plumb
