#include "fuzz/shared_page.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

TEST(SharedPage, IsZerosAtFirstAndStaysWhatItIs) {
  const ScratchFolder folder;
  {
    const SharedPage page(folder / "page", 5000);
    ASSERT_EQ(page.bytes().size(), 5000u);
    EXPECT_EQ(page.bytes()[4999], 0);
    page.bytes()[4999] = 7;
    const SharedPage same(folder / "page", 5000);
    EXPECT_EQ(same.bytes()[4999], 7);
  }
  EXPECT_EQ(SharedPage(folder / "page", 5000).bytes()[4999], 7);
}

TEST(SharedPage, SaysWhereItCannotBe) {
  EXPECT_THROW(SharedPage("/proc/plumb/page", 8), std::runtime_error);
}

}  // namespace
}  // namespace plumb
