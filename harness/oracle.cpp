#include "harness/oracle.hpp"

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/matmul_precision.hpp"
#include "harness/oracle_device.hpp"
#include "harness/placement.hpp"

namespace plumb {

Truths evaluate_widened(const Program& program, const Inputs& inputs, c10::ScalarType dtype) {
  return evaluate_owned(program, private_cast(inputs, dtype), dtype);
}

Truths evaluate_owned(const Program& program, const Inputs& owned, c10::ScalarType dtype) {
  Truths truths;
  const WithMatmulPrecision pedantic{MatmulPrecision{}};  // wherever the program computes
  for (const Output& output : execute(program, placed_on(oracle_device(), owned), dtype)) {
    at::Tensor value = output.tensor.detach().to(at::kCPU);
    if (value.is_quantized()) value = value.dequantize();
    truths.push_back(
        {output.name, value.to(widened(value.scalar_type(), at::kDouble)).contiguous(), {}});
  }
  return truths;
}

OracleChoice choose_oracle(const std::string& wanted, const Program& program, const Inputs& inputs,
                           bool judges_float64) {
  const auto& oracles = Registry<Oracle>::instance();
  if (wanted != "auto") {
    const Oracle* oracle = oracles.find(wanted);
    if (oracle == nullptr) {
      throw UsageError("unknown oracle '" + wanted + "'" + suggestion(wanted, oracles.names()));
    }
    if (const auto why = oracle->unavailable(program, inputs)) return {nullptr, *why};
    if (judges_float64 && !oracle->wider_than_double) {
      return {nullptr, "no oracle wider than f64"};
    }
    return {oracle, ""};
  }
  for (const char* name : {"quad", "fp64"}) {
    const Oracle* oracle = oracles.find(name);
    if (oracle == nullptr || oracle->unavailable(program, inputs)) continue;
    if (judges_float64 && !oracle->wider_than_double) continue;
    return {oracle, ""};
  }
  return {nullptr, "no oracle wider than f64"};
}

}  // namespace plumb
