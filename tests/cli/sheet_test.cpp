// What fits on a screen.

#include "cli/sheet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Sheet, NamesEachSectionOnce) {
  Sheet sheet("all is well");
  sheet.add("table", "t.csv: 5 rows");
  sheet.add("table", "");
  sheet.add("table", std::vector<std::string>{"one", "two"});
  sheet.add("left out", "nothing");
  const std::string text =
      "all is well\n"
      "table      t.csv: 5 rows\n"
      "           one\n"
      "           two\n"
      "left out   nothing\n";
  EXPECT_EQ(sheet.text(), text);
  EXPECT_EQ(sheet.wrapped(80), text);
}

TEST(Sheet, PrintsNoControlCharacters) {
  Sheet sheet("t");
  sheet.add("file", "a\nb\x1b[31m");
  EXPECT_EQ(sheet.text(), "t\nfile       a\\nb\\x1b[31m\n");
}

TEST(Sheet, WrapsWordsWithinTheWidth) {
  Sheet sheet("t");
  sheet.add("inputs", "größe, gewicht, länge und breite der kisten");
  const auto lines = lines_of(sheet.wrapped(36));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "inputs     größe, gewicht, länge");
  EXPECT_EQ(lines[2], "           und breite der kisten");
  for (const std::string& line : lines) EXPECT_LE(columns_of(line), 36u);
}

TEST(Sheet, CutsTheLongestParagraphsUntilItFits) {
  Sheet sheet("t");
  std::string names;
  for (int i = 0; i < 200; ++i) names += "'column " + std::to_string(i) + "', ";
  for (const char* label : {"inputs", "left out", "search"}) sheet.add(label, names);
  sheet.add("next", "this stays");
  const auto lines = lines_of(sheet.wrapped(80, 20));
  EXPECT_LE(lines.size(), 20u);
  EXPECT_GT(lines.size(), 15u);
  EXPECT_EQ(lines.back(), "next       this stays");
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.ends_with(" …"); }), 3);
  for (const std::string& line : lines) EXPECT_LE(columns_of(line), 80u);
}

TEST(Sheet, LeavesALineToEachParagraph) {
  Sheet sheet("t");
  for (int i = 0; i < 30; ++i) sheet.add("n", "some words that are too long for one line of 40");
  EXPECT_EQ(lines_of(sheet.wrapped(40, 20)).size(), 31u);
}

}  // namespace
}  // namespace cli
