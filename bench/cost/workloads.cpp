#include "bench/cost/workloads.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/dtype.hpp"

namespace plumb::bench {
namespace {

Program operator_named(const char* name, const char* overload = "") {
  return operator_program(c10::Dispatcher::singleton().findSchemaOrThrow(name, overload));
}

at::Tensor normal(at::IntArrayRef sizes) {
  static at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
  return at::randn(sizes, generator, at::kDouble);
}

Workload workload(const std::string& name, Program program, const Inputs& inputs,
                  c10::ScalarType dtype) {
  return {name + " " + dtype_name(dtype), {std::move(program), cast(inputs, dtype), dtype, {}}};
}

}  // namespace

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const auto dtype : {at::kFloat, at::kBFloat16}) {
    all.push_back(workload("matmul 256", operator_named("aten::mm"),
                           {{"self", normal({256, 256})}, {"mat2", normal({256, 256})}}, dtype));
    all.push_back(workload("softmax 1024x1024", operator_named("aten::softmax", "int"),
                           {{"self", normal({1024, 1024})}, {"dim", std::int64_t{-1}}}, dtype));
    all.push_back(workload("layer norm 1024x1024", operator_named("aten::layer_norm"),
                           {{"input", normal({1024, 1024})},
                            {"normalized_shape", c10::List<std::int64_t>({1024})},
                            {"weight", 1 + 0.1 * normal({1024})},
                            {"bias", 0.1 * normal({1024})}},
                           dtype));
    all.push_back(workload("attention 4x128x64",
                           operator_named("aten::scaled_dot_product_attention"),
                           {{"query", normal({1, 4, 128, 64})},
                            {"key", normal({1, 4, 128, 64})},
                            {"value", normal({1, 4, 128, 64})}},
                           dtype));
  }
  return all;
}

}  // namespace plumb::bench
