// What is advised where a column of numbers holds something else.

#include <gtest/gtest.h>

#include <functional>

#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using nn_test::says;

std::string table(int rows, const std::function<std::string(int)>& a,
                  const std::function<std::string(int)>& b) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < rows; ++i)
    text += a(i) + "," + b(i) + "," + std::to_string(i * i % 97) + ".5\n";
  return text;
}

std::string message(const std::string& text) {
  const CsvFile file(text);
  return error_of(file.folder.path(), [&] { (void)file.load(); });
}

std::function<std::string(int)> numbers_but(int row, const std::string& word, int most = 400) {
  return [=](int i) { return i == row ? word : std::to_string(i * 7 % most); };
}

TEST(Slips, ACodeWithALetterIsAName) {
  for (const char* code : {"136A", "16a", "c168", "01A"})
    EXPECT_EQ(message(table(60, numbers_but(4, code), numbers_but(-1, ""))),
              "data.csv:6:1: '" + std::string(code) +
                  "': expected a number, as in 59 other rows of column 'a'; in data: `categories: "
                  "[a]` treats the column as categories, `ignore: [a]` drops it, `missing: [" +
                  code + "]` if this text marks a missing value");
  CsvFile file(table(60, numbers_but(4, "136A", 30), numbers_but(-1, "")));
  file.spec.categories = {"a"};
  EXPECT_TRUE(says(file.load(), "categories, one input for each: 'a' (31)"));
}

TEST(Slips, AWordAmongFewNumbersMakesCategories) {
  for (const char* word : {"x", "other", "none of these"})
    EXPECT_EQ(message(table(60, numbers_but(4, word, 6), numbers_but(-1, ""))).substr(0, 115),
              ("data.csv:6:1: '" + std::string(word) +
               "': expected a number, as in 59 other rows of column 'a'; in data: `categories: "
               "[a]` treats the column as categories")
                  .substr(0, 115));
}

TEST(Slips, AllSuchColumnsAreNamed) {
  EXPECT_EQ(message(table(60, numbers_but(4, "136A"), numbers_but(9, "7 b"))),
            "data.csv:6:1: '136A': expected a number, as in 59 other rows of column 'a'; in data: "
            "`categories: [a, b]` treats the columns as categories, `ignore: [a, b]` drops them, "
            "`missing: [136A, '7 b']` if these texts mark a missing value");
  EXPECT_EQ(message(table(60, numbers_but(4, "136A"), numbers_but(9, "unknown"))),
            "data.csv:6:1: '136A': expected a number, as in 59 other rows of column 'a'; in data: "
            "`categories: [a]` treats the column as categories, `ignore: [a]` drops it, `missing: "
            "[136A]` if this text marks a missing value; such values are also in 'b'");
  EXPECT_EQ(message(table(60, numbers_but(4, "unknown"), numbers_but(9, "asked"))),
            "data.csv:6:1: 'unknown': expected a number, as in 59 other rows of column 'a'; if it "
            "marks a missing value, list it in data.missing; such values are also in 'b'");
}

TEST(Slips, CodesThatRecurAreNamesToo) {
  const auto recurring = [](int i) {
    return i % 5 == 4 ? std::string("B2") : std::to_string(i * 7 % 90) + ".5";
  };
  EXPECT_EQ(message(table(100, recurring, numbers_but(-1, ""))),
            "data.csv:6:1: 'B2': expected a number, as in 80 other rows of column 'a'; in data: "
            "`categories: [a]` treats the column as categories, `ignore: [a]` drops it, `missing: "
            "[B2]` if this text marks a missing value");
}

TEST(Slips, ManyTextsAreNotProposedAsMissing) {
  const auto mixed = [](int i) {
    if (i % 50 == 7) return std::to_string(i) + " - " + std::to_string(2 * i);
    return i % 50 == 9 ? std::to_string(i) + "Sq. Meter" : std::to_string(i * 7 % 400);
  };
  EXPECT_EQ(message(table(300, mixed, numbers_but(-1, ""))),
            "data.csv:11:1: '9Sq. Meter': expected a number, as in 288 other rows of column 'a'; "
            "in data: `categories: [a]` treats the column as categories, `ignore: [a]` drops it")
      << "a range alone would be a missing value";
  const auto three = [](int i) {
    return i % 30 == 7 ? "c" + std::to_string(i / 30) : std::to_string(i * 7 % 400);
  };
  EXPECT_NE(message(table(90, three, numbers_but(-1, "")))
                .find("`missing: [c0, c1, c2]` if these texts mark a missing value"),
            std::string::npos)
      << message(table(90, three, numbers_but(-1, "")));
}

TEST(Slips, ATotalBelowAFooterIsLeftOutByALongerOne) {
  std::string text = "name,y\n";
  for (int i = 1; i < 9; ++i)
    text += "n" + std::to_string(i) + "," + std::to_string(i * 100) + "\n";
  CsvFile file(text + "Total,3600\nprinted on paper,7\n");
  file.spec.skip.footer = 1;
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv:10:7: '3600' is the sum of the other rows of the target 'y', expected a row "
            "of its own; in data: `skip: {footer: 2}` leaves the last line out");
  std::string single = "a,b,y\n";
  for (int i = 0; i < 120; ++i) single += "'x, " + std::to_string(i % 9) + "',1,2.5\n";
  EXPECT_TRUE(message(single + "'it's, too',2,3.5\n")
                  .ends_with("expected ',' or the end of the line; a quote within quotes is "
                             "written twice, ''"))
      << message(single + "'it's, too',2,3.5\n");
}

TEST(Slips, NamesThatYamlWouldReadOtherwiseAreQuoted) {
  std::string text = table(60, numbers_but(4, "1'2\"x"), numbers_but(-1, ""));
  text.replace(0, 1, "of: all");
  EXPECT_NE(message(text).find("`categories: ['of: all']`"), std::string::npos) << message(text);
  EXPECT_NE(message(text).find("`missing: ['1''2\"x']`"), std::string::npos) << message(text);
}

TEST(Refusal, SaysWhatWasLeftOut) {
  std::string ids = "id,same,y\n";
  for (int i = 0; i < 40; ++i)
    ids += "n" + std::to_string(i) + ",x," + std::to_string(i % 7) + ".5\n";
  EXPECT_EQ(
      message(ids),
      "data.csv: there is no column to learn from besides the target: left out, the same value in "
      "every row: 'same'; left out, a value of its own in nearly every row (`keep` makes it "
      "inputs): 'id' (such as 'n0')");
  CsvFile file("a,b,y\n1,2,3.5\n4,5,6.5\n");
  file.spec.ignore = {"a", "b"};
  EXPECT_EQ(
      error_of(file.folder.path(), [&] { (void)file.load(); }),
      "data.csv: there is no column to learn from besides the target: left out, as `ignore` says: "
      "'a', 'b'");
}

TEST(Rows, ThatAreNotReadAreCounted) {
  CsvFile file("a,y\n1,p\n2,\n3,q\n4,p\n5,r\n6,r\n");
  file.spec.rows = 3;
  EXPECT_TRUE(says(file.load(), "only the first 3 rows with a target are read, as `rows` says"));
  EXPECT_TRUE(says(file.load(), "1 row left out: no value of 'y'"));
  file.spec.rows = 5;
  EXPECT_FALSE(says(file.load(), "only the first 5 rows with a target are read, as `rows` says"));
  file.spec.rows = 0;
  file.spec.classes = {"p", "q"};
  EXPECT_TRUE(says(file.load(), "2 rows left out: `classes` does not name theirs"));
  file.spec.classes.clear();
  file.spec.ignore = {};
  CsvFile two("a,b,y\n1,2,p\n2,3,q\n");
  two.spec.ignore = {"b"};
  EXPECT_TRUE(says(two.load(), "left out, as `ignore` says: 'b'"));
}

/// A table of `classes` whole numbers to predict, `rows` of each but of the last one.
std::string counted(int classes, int rows, int of_last) {
  std::string text = "a,y\n";
  for (int c = 0; c < classes; ++c)
    for (int i = 0; i < (c + 1 == classes ? of_last : rows); ++i)
      text += std::to_string(i * 13 % 101) + ".25," + std::to_string(3 * c) + "\n";
  return text;
}

TEST(Target, ManyWholeNumbersAreClassesWhereEachHasRows) {
  const auto task = [](const std::string& text) { return CsvFile(text).load().header().task; };
  using enum nn::LearningTask;
  EXPECT_EQ(task(counted(21, 50, 50)), classification);
  EXPECT_EQ(task(counted(21, 60, 49)), regression) << "though the mean is above 50";
  EXPECT_EQ(task(counted(100, 51, 1)), regression);
  EXPECT_EQ(task(counted(100, 50, 50)), classification);
  EXPECT_EQ(task(counted(101, 50, 50)), regression);
  EXPECT_EQ(task(counted(20, 9, 1)), classification) << "few may have few rows";
}

TEST(Target, AConstantIsRefusedInAllForms) {
  const std::string refusal = "data.csv: the target 'y' has the same value in every row";
  for (const char* value : {"7", "7.5", "$7.50", "word", "-1e3", "7 kg", "5%"}) {
    std::string text = "a,y\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(i * 7 % 40) + "," + value + "\n";
    EXPECT_EQ(message(text), refusal) << value;
  }
  CsvFile asked("a,y\n1,7\n2,7\n5,7\n");
  asked.spec.task = nn::LearningTask::regression;
  EXPECT_EQ(error_of(asked.folder.path(), [&] { (void)asked.load(); }), refusal);
}

/// What surveys export: a header, a second one below it, dates and answers.
TEST(Slips, TheFirstLineMayNameTheColumns) {
  std::string text = "Start,Question,,Age\n,Answer,Other,Answer\n";
  for (int i = 1; i < 60; ++i)
    text +=
        "7/" + std::to_string(i % 28 + 1) + "/14,yes,," + (i % 2 == 0 ? "30-44" : "45-60") + "\n";
  const std::string said = message(text);
  EXPECT_NE(said.find(":1:1: 'Start': expected a date"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("; in data: `header: true` if this line names the columns")) << said;
}

TEST(Target, ClassesAreNamedWithTheirRows) {
  EXPECT_TRUE(says(CsvFile("a,y\n1,p\n2,q\n3,p\n").load(), "2 classes: 'p' (2 rows), 'q' (1)"));
  std::string many = "a,y\n";
  for (int i = 0; i < 30; ++i)
    many += std::to_string(i * i) + ",k" + std::to_string(10 + i % 15) + "\n";
  EXPECT_TRUE(says(CsvFile(many).load(),
                   "15 classes: 'k10' (2 rows), 'k11' (2), 'k12' (2), 'k13' (2), 'k14' (2), 'k15' "
                   "(2), 'k16' (2), 'k17' (2), 'k18' (2), 'k19' (2), 'k20' (2), 'k21' (2) and 3 "
                   "more"));
}

TEST(Target, SpellingsOfOneClassAreNamed) {
  const auto spelt = [](const std::vector<std::string>& words) {
    std::string text = "a,y\n";
    for (int i = 0; i < 24; ++i)
      text +=
          std::to_string(i * i) + "," + words[static_cast<std::size_t>(i) % words.size()] + "\n";
    const nn::Dataset data = CsvFile(text).load();
    for (const std::string& note : data.header().notes)
      if (note.starts_with("classes that differ")) return note.substr(note.find(':') + 2);
    return std::string();
  };
  const std::string rest = ": where they mean the same, write them alike in the table";
  EXPECT_EQ(spelt({"yes", "no", "Yes", "YES", "No"}), "'No', 'no'; 'YES', 'Yes', 'yes'" + rest);
  EXPECT_EQ(spelt({"type a", "Type-A", "type b"}), "'Type-A', 'type a'" + rest);
  EXPECT_EQ(spelt({"\"in \"", "in", "out"}), "'in', 'in '" + rest);
  EXPECT_EQ(spelt({"yes", "no"}), "");
  EXPECT_EQ(spelt({"-1", "1", "0"}), "");
}

}  // namespace
