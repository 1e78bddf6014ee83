#include "harness/matmul_precision.hpp"

#include <ATen/Context.h>

namespace plumb {
namespace {

using at::CuBLASReductionOption;

void set(const MatmulPrecision& precision) {
  at::Context& torch = at::globalContext();
  const bool split_k = precision.split_k || precision.reduced;
  torch.setAllowTF32CuBLAS(precision.tf32);
  torch.setAllowFP16ReductionCuBLAS(precision.reduced, split_k);
  torch.setAllowBF16ReductionCuBLAS(precision.reduced, split_k);
}

}  // namespace

MatmulPrecision matmul_precision() {
  const at::Context& torch = at::globalContext();
  const CuBLASReductionOption sums = torch.allowFP16ReductionCuBLAS();
  return {.tf32 = torch.allowTF32CuBLAS(),
          .reduced = sums == CuBLASReductionOption::AllowReducedPrecisionWithSplitK,
          .split_k = sums != CuBLASReductionOption::DisallowReducedPrecisionDisallowSplitK};
}

WithMatmulPrecision::WithMatmulPrecision(const MatmulPrecision& precision)
    : products_(matmul_precision()),
      convolutions_tf32_(at::globalContext().allowTF32CuDNN()),
      reduced_on_cpu_(at::globalContext().allowFP16ReductionCPU()) {
  set(precision);
  at::globalContext().setAllowTF32CuDNN(precision.tf32);
  if (reduced_on_cpu_ && !precision.reduced) at::globalContext().setAllowFP16ReductionCPU(false);
}

WithMatmulPrecision::~WithMatmulPrecision() {
  set(products_);
  at::globalContext().setAllowTF32CuDNN(convolutions_tf32_);
  if (reduced_on_cpu_) at::globalContext().setAllowFP16ReductionCPU(true);
}

}  // namespace plumb
