#include "harness/process_clock.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(ProcessClock, SleepIsNoWaitForAProcessor) {
  ProcessClock clock;
  clock.start(getpid());
  usleep(300'000);
  EXPECT_GE(clock.wall_seconds(), 0.3);
  EXPECT_LT(clock.queued_seconds(), 0.25);
}

TEST(ProcessClock, AProcessThatIsGoneWaitedForNothing) {
  ProcessClock clock;
  clock.start(1 << 30);
  EXPECT_EQ(clock.queued_seconds(), 0);
}

}  // namespace
}  // namespace plumb
