// eager with what torch lets products on a GPU give up, one thing at a time.

#include "harness/matmul_precision.hpp"

#include "harness/device_plugin.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

/// TF32 keeps 11 significant bits of both operands; some units cut where others round.
constexpr double kTf32Roundoff = 0x1p-10;

std::optional<std::string> unavailable(const Program&, c10::Device device) {
  if (device.is_cuda()) return device_unavailable(device);
  return without_cuda("it is a setting of products on a CUDA device");
}

Variant with(const std::string& name, const std::string& about, const MatmulPrecision& precision) {
  return {.name = name,
          .about = "as eager, " + about,
          .unavailable = unavailable,
          .execute = [precision](const Program& program, const Inputs& inputs, c10::Device) {
            const WithMatmulPrecision setting(precision);
            Execution execution(execute(program, inputs));
            if (precision.tf32) execution.operand_roundoff = kTf32Roundoff;
            return execution;
          }};
}

const Register<Variant> tf32{with("eager-tf32", "float32 products by TF32", {.tf32 = true})};
const Register<Variant> full_sums{
    with("eager-full-sums", "half-type products never add up in a half type", {})};
const Register<Variant> no_split_k{
    with("eager-no-split-k", "no sum of a product is cut into parts", {.split_k = false})};

}  // namespace
}  // namespace plumb
