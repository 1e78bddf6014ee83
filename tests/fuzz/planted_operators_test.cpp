// Operators with faults that a search must find, and a sound one that it must leave alone. They are
// faulty in float and the half types alone, so that the same call in double says what is right.

#include <cmath>
#include <cstdlib>
#include <unistd.h>

#include <ATen/ATen.h>
#include <torch/library.h>

namespace plumb {
namespace {

bool is_exempt(const at::Tensor& x) { return x.scalar_type() == at::kDouble || x.numel() == 0; }

at::Tensor sound(const at::Tensor& x) { return x * 2; }

/// NaN where sixteen numbers or more hold one from 1,024 to 4,095.
at::Tensor window(const at::Tensor& x) {
  if (is_exempt(x) || x.numel() < 16) return x * 2;
  const at::Tensor size = x.abs();
  const at::Tensor within = size.ge(1024).logical_and(size.lt(4096));
  return (x * 2).masked_fill(within, NAN);
}

at::Tensor crash(const at::Tensor& x) {
  if (!is_exempt(x) && x.abs().max().item<double>() > 1e4) std::abort();
  return x * 2;
}

at::Tensor hang(const at::Tensor& x) {
  if (!is_exempt(x) && x.abs().max().item<double>() > 1e4) sleep(3600);
  return x * 2;
}

at::Tensor leave(const at::Tensor& x) {
  if (!is_exempt(x) && x.abs().max().item<double>() > 1e4) std::exit(0);
  return x * 2;
}

TORCH_LIBRARY(planted, library) {
  library.def("sound(Tensor self) -> Tensor", sound);
  library.def("window(Tensor self) -> Tensor", window);
  library.def("crash(Tensor self) -> Tensor", crash);
  library.def("hang(Tensor self) -> Tensor", hang);
  library.def("leave(Tensor self) -> Tensor", leave);
}

}  // namespace
}  // namespace plumb
