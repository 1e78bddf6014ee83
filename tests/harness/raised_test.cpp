#include "harness/raised.hpp"

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

template <typename Fault>
std::pair<std::string, bool> told(const Fault& fault) {
  try {
    fault();
  } catch (const std::exception& error) {
    return {message_of(error), is_out_of_memory(error)};
  }
  return {"nothing was raised", false};
}

TEST(Raised, TorchIsQuotedWithoutItsBacktrace) {
  const auto [text, memory] = told([] { TORCH_CHECK(false, "first\nsecond"); });
  EXPECT_EQ(text, "first");
  EXPECT_FALSE(memory);
}

TEST(Raised, EveryFailedAllocationIsOutOfMemory) {
  const auto plain = told([] { throw std::bad_alloc(); });
  EXPECT_EQ(plain.first, "an allocation failed");
  EXPECT_TRUE(plain.second);
  EXPECT_TRUE(told([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory"); }).second);
#if !defined(__SANITIZE_ADDRESS__)  // the sanitiser ends the process itself
  const auto allocator = told([] { at::empty({std::int64_t{1} << 50}, at::kByte); });
  EXPECT_TRUE(allocator.second);
  EXPECT_TRUE(allocator.first.starts_with("can't allocate memory")) << allocator.first;
#endif
  EXPECT_FALSE(told([] { throw std::runtime_error("no memory of that"); }).second);
}

}  // namespace
}  // namespace plumb
