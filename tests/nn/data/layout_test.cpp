// Lines of a table's file that are no rows: left out by `skip`, and proposed where it is not there.

#include "nn/data/csv_layout.h"

#include <gtest/gtest.h>

#include <functional>

#include "nn/data/csv_sniff.h"
#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using nn_test::says;
using nn_test::values;
using Words = std::vector<std::string>;
using Rows = std::vector<std::vector<float>>;

/// Rows of numbers and a class; the first is "0,0.5,p".
std::string rows_of(int count, char delimiter = ',') {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::to_string(i * 7 % count) + delimiter + std::to_string(i * i % 13) + ".5" +
            delimiter + (i % 2 == 0 ? "p\n" : "q\n");
  return text;
}

const std::string kHeader = "a,b,kind\n";

std::string proposed(const std::string& text) {
  const auto skip = nn::proposed_skip(nn::sniffed({.path = "t.csv", .text = text}));
  return skip ? nn::skip_words(*skip) : "";
}

TEST(Layout, CommentsAreProposed) {
  for (const std::string mark : {"#", "%", "//", "!"}) {
    EXPECT_EQ(proposed(mark + " made by hand\n" + mark + " m, s\n" + kHeader + rows_of(9)),
              "skip: {comment: '" + mark + "'}");
    EXPECT_EQ(proposed(kHeader + rows_of(9) + mark + " restarted\n" + rows_of(9)),
              "skip: {comment: '" + mark + "'}");
  }
}

TEST(Layout, LinesAboveTheHeaderAreProposed) {
  EXPECT_EQ(proposed("Table 1\n" + kHeader + rows_of(9)), "skip: {lines: 1}");
  EXPECT_EQ(proposed("Results, of May\n\nin cm\na;b;c;kind\n1;2;3;p\n4;5;6;q\n7;8;9;p\n"),
            "skip: {lines: 3}");
  EXPECT_EQ(proposed("device\t17\ndate\tMay\n\nx\ty\tkind\n" + rows_of(9, '\t')), "")
      << "two names above three columns may be a header above names of the rows";
  EXPECT_EQ(proposed("\"never closed\n" + kHeader + rows_of(9)), "skip: {lines: 1}");
}

TEST(Layout, LinesAtTheEndAreProposed) {
  EXPECT_EQ(proposed(kHeader + rows_of(9) + "Source: made up\n"), "skip: {footer: 1}");
  EXPECT_EQ(proposed(kHeader + rows_of(9) + "\nSource: made up\n(c) us, 2026\n\n\n"),
            "skip: {footer: 2}");
  EXPECT_EQ(proposed("Title\n" + kHeader + rows_of(9) + "9 rows\n"), "skip: {lines: 1, footer: 1}");
  EXPECT_EQ(proposed("# a\n" + kHeader + rows_of(9) + "9 rows"), "skip: {comment: '#', footer: 1}");
}

TEST(Layout, SlipsAreNotProposed) {
  EXPECT_EQ(proposed(kHeader + rows_of(9)), "") << "an even table";
  EXPECT_EQ(proposed(kHeader + rows_of(9) + "1,2\n" + rows_of(9)), "") << "rows follow";
  EXPECT_EQ(proposed(kHeader + rows_of(9) + "1,2,p,3\n" + rows_of(1)), "");
  EXPECT_EQ(proposed(kHeader + "1,2\n3\n"), "") << "too few rows to tell";
}

TEST(Layout, MessagesProposeWhatHelps) {
  const auto message = [](const std::string& text, const std::string& target = {}) {
    CsvFile file(text);
    if (!target.empty()) file.spec.targets = {target};
    return error_of(file.folder.path(), [&] { (void)file.load(); });
  };
  EXPECT_EQ(message(kHeader + rows_of(9) + "Source: made up\n"),
            "data.csv:11:1: 1 field in this line, expected 3 as in line 1; in data: `skip: "
            "{footer: 1}` leaves out the lines that are not rows of it, and so does `rows: 9`");
  EXPECT_EQ(message("# units: m\n" + kHeader + rows_of(9)),
            "data.csv:2:3: 3 fields in this line, expected 1 as in line 1; in data: `skip: "
            "{comment: '#'}` leaves out the lines that are not rows of it");
  EXPECT_EQ(
      message("# units: m, s\n" + kHeader + rows_of(9)),
      "data.csv:1:1: '# units: m' begins as a comment does, expected the names of the "
      "columns; in data: `skip: {comment: '#'}` leaves out the lines that are not rows of it");
  EXPECT_EQ(
      message("Table 1\n" + kHeader + rows_of(9), "kind"),
      "data.csv: target: there is no column 'kind', expected one of 'Table 1' or a number "
      "from 1 to 1; in data: `skip: {lines: 1}` leaves out the lines that are not rows of it");
}

struct SkipCase {
  const char* name;
  std::string text;
  nn::SkipSpec skip;
  const char* note;
};
class SkippedLines : public testing::TestWithParam<SkipCase> {};

TEST_P(SkippedLines, AreNoRows) {
  const nn::Dataset plain = CsvFile(kHeader + rows_of(9)).load();
  for (const bool packed : {false, true}) {
    CsvFile file(packed ? nn_test::gzip(GetParam().text) : GetParam().text);
    file.spec.skip = GetParam().skip;
    const nn::Dataset data = file.load();
    EXPECT_EQ(values(data), values(plain));
    EXPECT_EQ(data.header().columns, plain.header().columns);
    EXPECT_TRUE(says(data, GetParam().note));
    const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
    EXPECT_EQ(model.header().skip, GetParam().skip);
    // A table to predict may have such lines or not.
    for (const std::string& text : {GetParam().text, kHeader + rows_of(9)}) {
      const CsvFile later(text);
      nn::TableRows rows(later.spec.path, model);
      ASSERT_TRUE(rows.next(20));
      EXPECT_EQ(rows.rows(), 9U) << text;
      EXPECT_EQ(rows.scored().size(), 9U);
      EXPECT_FALSE(rows.next(20));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layout, SkippedLines,
    testing::Values(SkipCase{"lines",
                             "Table 1\n\n" + kHeader + rows_of(9),
                             {.lines = 2},
                             "2 lines left out above the header, the first is 'Table 1'"},
                    SkipCase{"lines_with_cr",
                             "Table 1\r\nof 2\r\n" + kHeader + rows_of(9),
                             {.lines = 2},
                             "2 lines left out above the header, the first is 'Table 1'"},
                    SkipCase{"lines_with_a_quote",
                             "a \"title\n" + kHeader + rows_of(9),
                             {.lines = 1},
                             "1 line left out above the header: 'a \"title'"},
                    SkipCase{"comments",
                             "# x\n" + kHeader + " # y, z\n" + rows_of(9) + "# end",
                             {.comment = "#"},
                             "3 lines of comments left out"},
                    SkipCase{"units",
                             kHeader + "m,s,-\n" + rows_of(9),
                             {.after_header = 1},
                             "1 row left out below the header: 'm', 's', '-'"},
                    SkipCase{"second_header",
                             kHeader + "u,v,w\nm,s,-\n" + rows_of(9),
                             {.after_header = 2},
                             "2 rows left out below the header: the last is 'm', 's', '-'"},
                    SkipCase{"footer",
                             kHeader + rows_of(9) + "\nSource: a, b\nTotal\n\n",
                             {.footer = 3},
                             "3 lines left out at the end, the first is ''"},
                    SkipCase{"all_of_them",
                             "Title\n" + kHeader + "m,s,-\n% z\n" + rows_of(9) + "end\n",
                             {.lines = 1, .comment = "%", .after_header = 1, .footer = 1},
                             "1 line left out at the end: 'end'"}),
    [](const auto& one) { return one.param.name; });

TEST(Layout, LinesAreNotSkippedOfATableThatBeginsWithItsHeader) {
  CsvFile file("Table 1\nof 2\n" + kHeader + rows_of(9));
  file.spec.skip.lines = 2;
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(file.load()));
  const CsvFile clean(kHeader + rows_of(9)), same("Table 2\nof 2\n" + kHeader + rows_of(9));
  nn::TableRows whole(clean.spec.path, model);
  EXPECT_EQ(whole.notes(), Words{});
  nn::TableRows cut(same.spec.path, model);
  EXPECT_EQ(cut.notes(), Words{"2 lines left out above the header, as in training"});
}

TEST(Layout, RowsThatDoNotFitAreRefusedElsewhere) {
  CsvFile file(kHeader + "m,s,-\n" + rows_of(9) + "end\n");
  file.spec.skip = {.after_header = 1, .footer = 1};
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(file.load()));
  const auto message = [&](const std::string& text) {
    const CsvFile later(text);
    return error_of(later.folder.path(), [&] {
      nn::TableRows rows(later.spec.path, model);
      while (rows.next(4)) {
      }
    });
  };
  EXPECT_EQ(message(kHeader + "m,s,-\n" + rows_of(9) + "end\n"), "no error");
  EXPECT_EQ(message(kHeader + rows_of(9) + "m,s,p\n" + rows_of(9)),
            "data.csv:11:1: 'm': expected a number, as column 'a' had in training");
  EXPECT_EQ(message(kHeader + "m,s,-\nm,s,-\n" + rows_of(9)),
            "data.csv:3:1: 'm': expected a number, as column 'a' had in training");
  EXPECT_EQ(message(kHeader + rows_of(9) + "the\nend\n"),
            "data.csv:11:1: 1 field in this line, expected 3 as in line 1");
}

TEST(Layout, UnitsBelowTheHeaderAreProposed) {
  const auto message = [](const std::string& text) {
    const CsvFile file(text);
    return error_of(file.folder.path(), [&] { (void)file.load(); });
  };
  const std::string two =
      "data.csv:2:1: this row has text where all other rows have numbers, in 'a', 'b'; in data: "
      "`skip: {after_header: 1}` if the line holds units or a second header";
  EXPECT_EQ(message(kHeader + "m,s,-\n" + rows_of(30)), two);
  EXPECT_EQ(message(kHeader + "m,s,-\n" + rows_of(4)), two) << "also where they are no slips";
  EXPECT_EQ(message(kHeader + "a,b,kind\n" + rows_of(30)), two);
  EXPECT_EQ(message("a,k,y\nkg,,-\n" +
                    [] {
                      std::string text;
                      for (int i = 0; i < 30; ++i)
                        text += std::to_string(i * 37 % 100) + (i % 2 == 0 ? ",u,p\n" : ",v,q\n");
                      return text;
                    }()),
            "data.csv:2:1: 'kg': expected a number, as in 30 other rows of column 'a'; if it marks "
            "a missing value, list it in data.missing; in data: `skip: {after_header: 1}` if the "
            "line holds units or a second header");
}

TEST(Layout, ATestFileHasTheSameLines) {
  CsvFile file("# x\n" + kHeader + rows_of(9));
  file.spec.skip.comment = "#";
  file.spec.more = file.folder / "test.csv";
  nn_test::write_file(file.spec.more, kHeader + "# y\n" + rows_of(4));
  EXPECT_EQ(file.load().header().test_rows, 4U);
}

TEST(Layout, MoreLinesThanThereAreIsAnError) {
  CsvFile file(kHeader + rows_of(3));
  file.spec.skip.lines = 9;
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv: skip.lines is 9, but the file has only 4 lines");
}

}  // namespace
