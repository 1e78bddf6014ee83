// The kernel against the host's comparison, on what the host tries thread by thread too.

#include <ATen/ATen.h>

#include "tests/harness/compare_samples.hpp"
#include "tests/harness/cuda/gpu_test.hpp"

namespace plumb {
namespace {

class GpuCompare : public GpuTest {};

at::Tensor on_device(const void* data, std::size_t bytes) {
  at::Tensor there = at::empty({static_cast<std::int64_t>(bytes)}, at::kByte);
  if (bytes > 0) std::memcpy(there.mutable_data_ptr(), data, bytes);
  return there.to(at::kCUDA);
}

template <typename T>
at::Tensor on_device(const std::vector<T>& values) {
  return on_device(values.data(), values.size() * sizeof(T));
}

template <typename T>
const T* in(const at::Tensor& memory) {
  return static_cast<const T*>(memory.const_data_ptr());
}

TEST_F(GpuCompare, GivesTheFiguresOfTheHostInEveryFormat) {
  constexpr BoundTerms kBound{.relative = 1e-6, .conditional = 1e-7, .absolute = 1e-40};
  for (const Format format : kAllFormats) {
    for (const std::size_t n : {0, 1, 127, 1025, 300'000}) {
      for (const unsigned rare : {0U, 50U, 3U}) {
        SCOPED_TRACE(std::string(traits(format).name) + " n " + std::to_string(n) + " rare " +
                     std::to_string(rare));
        const Sample s = sample_of(format, n, rare, static_cast<unsigned>(n) + rare);
        const at::Tensor y = on_device(s.storage);
        const at::Tensor hi = on_device(s.hi);
        const at::Tensor lo = on_device(s.lo);
        const at::Tensor spread = on_device(s.spread);
        const at::Tensor narrow = on_device(s.narrow);
        const DevicePlugin& device = *cuda_plugin();
        expect_same_distances(
            compare(format, s.y(), {.hi = s.hi.data(), .lo = s.lo.data()}, s.spread.data(), kBound,
                    n),
            device.compare(format, y.const_data_ptr(), {.hi = in<double>(hi), .lo = in<double>(lo)},
                           in<double>(spread), kBound, n));
        expect_same_distances(
            compare(format, s.y(), {.narrow = s.narrow.data()}, nullptr, kBound, n),
            device.compare(format, y.const_data_ptr(), {.narrow = in<float>(narrow)}, nullptr,
                           kBound, n));
      }
    }
  }
}

TEST_F(GpuCompare, AddsUpInTheSameOrderEachTime) {
  const Sample s = sample_of(Format::f32, 1'000'000, 1000, 5);
  const at::Tensor y = on_device(s.storage);
  const at::Tensor hi = on_device(s.hi);
  const auto once = [&] {
    return cuda_plugin()->compare(Format::f32, y.const_data_ptr(), {.hi = in<double>(hi)}, nullptr,
                                  {.relative = 1e-6}, 1'000'000);
  };
  const Distances first = once();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(once().sum_sq_error, first.sum_sq_error);
}

}  // namespace
}  // namespace plumb
