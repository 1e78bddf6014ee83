// main of every test program: the zygote is made before anything can start threads, as in plumb.

#include <gtest/gtest.h>

#include "tests/workers.hpp"

int main(int argc, char** argv) {
  plumb::Zygote zygote(plumb::testing_serve);
  plumb::test_zygote() = &zygote;
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const bool all_skipped = tests.skipped_test_count() > 0 && tests.successful_test_count() == 0;
  return failed == 0 && all_skipped ? 77 : failed;
}
