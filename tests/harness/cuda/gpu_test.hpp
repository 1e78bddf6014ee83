#pragma once

#include <gtest/gtest.h>

#include "harness/device_plugin.hpp"

namespace plumb {

/// A test of what only a device can show; skipped with the reason where there is none. The name of
/// a suite begins with Gpu: ctest has these as `harness.gpu`.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = cuda_unavailable()) GTEST_SKIP() << *why;
  }
};

}  // namespace plumb
