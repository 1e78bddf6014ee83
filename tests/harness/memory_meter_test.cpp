#include "harness/memory_meter.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

at::Tensor bytes(std::int64_t count) { return at::empty({count}, at::kByte); }

TEST(MemoryMeter, CountsWhatIsAliveAndItsPeak) {
  const MemoryMeter meter;
  EXPECT_EQ(meter.live(), 0);
  at::Tensor kept = bytes(1000);
  { const at::Tensor passing = bytes(5000); }
  EXPECT_EQ(meter.live(), 1000);
  EXPECT_EQ(meter.peak(), 6000);
  kept = at::Tensor();
  EXPECT_EQ(meter.live(), 0);
  EXPECT_EQ(meter.peak(), 6000);
}

TEST(MemoryMeter, DoesNotCountWhatWasAliveBefore) {
  const at::Tensor before = at::ones({1 << 20}, at::kInt);
  const MemoryMeter meter;
  const at::Tensor sum = before.max();
  EXPECT_LT(meter.peak(), 1 << 10);
}

TEST(MemoryMeter, SeesTheTemporariesInsideAnOperator) {
  const at::Tensor x = at::ones({256, 256});
  const MemoryMeter meter;
  const at::Tensor y = x.std();  // keeps one number, works on more
  const at::Tensor z = (x + 1).sum();
  EXPECT_GE(meter.peak(), 256 * 256 * 4);
  EXPECT_LT(meter.live(), 1 << 10);
}

TEST(MemoryMeter, AnInnerMeterHidesItsBytesFromTheOuter) {
  const MemoryMeter outer;
  {
    const MemoryMeter inner;
    const at::Tensor x = bytes(4096);
    EXPECT_EQ(inner.peak(), 4096);
  }
  EXPECT_EQ(outer.peak(), 0);
  const at::Tensor y = bytes(512);
  EXPECT_EQ(outer.peak(), 512);
}

TEST(MemoryMeter, CountsOnlyItsKindOfDevice) {
  const MemoryMeter meter(c10::DeviceType::CUDA);
  const at::Tensor x = bytes(4096);
  EXPECT_EQ(meter.peak(), 0);
}

}  // namespace
}  // namespace plumb
