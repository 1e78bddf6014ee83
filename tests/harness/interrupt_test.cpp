#include "harness/interrupt.hpp"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Interrupt, ASignalAsksOnceAndEndsTheProcessTheSecondTime) {
  EXPECT_EXIT(
      {
        const Interruptible interruptible;
        if (interrupted() == 0 && raise(SIGTERM) == 0 && interrupted() == SIGTERM) {
          sleep(3);
          raise(SIGTERM);
        }
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(Interrupt, TwoAtOnceAreOne) {
  EXPECT_EXIT(
      {
        const Interruptible interruptible;
        raise(SIGTERM);
        raise(SIGTERM);
        std::_Exit(interrupted() == SIGTERM ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

TEST(Interrupt, WhatIsIgnoredStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        const Interruptible interruptible;
        raise(SIGINT);
        std::_Exit(interrupted());
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace plumb
