// The comparison kernel on a device: bytes per second beside those of a plain copy there, which is
// what the memory can give. Skipped, with the reason, where there is no device.

#include <cstdio>

#include <ATen/ATen.h>

#include "harness/device_plugin.hpp"
#include "harness/dtype.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t kCount = std::int64_t{1} << 26;  // several times any cache
constexpr int kRuns = 50;

/// Least of some repetitions, after one that warms up.
double best_seconds(const std::function<void()>& work) {
  work();
  double best = cuda_plugin()->seconds_of(work, kRuns);
  for (int i = 0; i < 4; ++i) best = std::min(best, cuda_plugin()->seconds_of(work, kRuns));
  return best;
}

double copy_rate() {
  const at::Tensor from = at::zeros({kCount}, at::device(at::kCUDA).dtype(at::kDouble));
  const at::Tensor to = at::empty_like(from);
  const double seconds = best_seconds([&] { to.copy_(from); });
  return 2 * static_cast<double>(from.nbytes()) / seconds;
}

void compare_in(c10::ScalarType dtype, double copied) {
  const at::Tensor g = at::randn({kCount}, at::device(at::kCUDA).dtype(at::kDouble));
  const at::Tensor y = g.to(dtype);
  const double u = unit_roundoff(dtype);
  const auto once = [&] {
    cuda_plugin()->compare(
        *format_of(dtype), y.const_data_ptr(), {.hi = g.const_data_ptr<double>()}, nullptr,
        {.relative = 2 * u, .absolute = 0x1p-150}, static_cast<std::size_t>(kCount));
  };
  const double seconds = best_seconds(once);
  const double rate = static_cast<double>(y.nbytes() + g.nbytes()) / seconds;
  std::printf("%-9s  %8.3f ms  %7.1f GB/s  %5.1f %% of a copy's\n", dtype_name(dtype).c_str(),
              seconds * 1e3, rate * 1e-9, 100 * rate / copied);
}

int run() {
  if (const auto why = cuda_unavailable()) {
    std::printf("gpu_bench: skipped: %s\n", why->c_str());
    return 0;
  }
  const DeviceInfo device = cuda_plugin()->devices().front();
  const double copied = copy_rate();
  std::printf("compare() on %s, %lld elements against float64; a copy moves %.1f GB/s\n",
              device.name.c_str(), static_cast<long long>(kCount), copied * 1e-9);
  for (const auto dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}) {
    compare_in(dtype, copied);
  }
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main() { return plumb::bench::run(); }
