// main of every test program: the zygote is made before anything can start threads, as in plumb.

#include <gtest/gtest.h>

#include "tests/workers.hpp"

int main(int argc, char** argv) {
  plumb::Zygote zygote(plumb::testing_serve);
  plumb::test_zygote() = &zygote;
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  return failed;
}
