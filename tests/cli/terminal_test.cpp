// What fits into a line of a terminal.

#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(Clip, CountsColumnsAndKeepsColours) {
  EXPECT_EQ(clip("digits", 6), "digits");
  EXPECT_EQ(clip("digits: running", 7), "digits…");
  EXPECT_EQ(clip("größer", 4), "grö…");
  const std::string red = "\033[31m", plain = "\033[0m";
  EXPECT_EQ(clip(red + "failed" + plain, 6), red + "failed" + plain);
  EXPECT_EQ(clip("a: " + red + "failed" + plain + ", b", 6), "a: " + red + "fa…" + plain);
  EXPECT_EQ(clip("text", 0), "");
}

TEST(Table, SetsNumbersFlushRightButNoNames) {
  Table table({"parameter", "share"}, 1);
  table.row({"n", "100%"});
  table.row({"momentum", "-"});
  table.row({"inf", "3%"});
  EXPECT_EQ(table.text(),
            "parameter  share\n"
            "n           100%\n"
            "momentum       -\n"
            "inf           3%\n");
}

}  // namespace
}  // namespace cli
