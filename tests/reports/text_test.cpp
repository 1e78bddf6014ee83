#include "reports/text.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Text, PrintableKeepsTextAndSpellsOutTheRest) {
  EXPECT_EQ(printable("ρ ≤ 0.1\n\t𝄞"), "ρ ≤ 0.1\n\t𝄞");
  EXPECT_EQ(printable(std::string_view("a\0\x1b[1m\r\x7f", 8)), "a\\x00\\x1b[1m\\x0d\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a C1 control: CSI
  EXPECT_EQ(printable("\xff\xc3("), "\\xff\\xc3(");         // bytes that begin no character
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");  // U+FFFF, not a character in XML
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // cut short
}

TEST(Text, OneLineJoinsWhiteSpace) { EXPECT_EQ(one_line("  a \n\n\tb  "), "a b"); }

}  // namespace
}  // namespace plumb
