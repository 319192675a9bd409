// What is guessed about a table: its delimiter, its decimal sign, its first line.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

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

/// `text` with another delimiter for its tabs.
std::string with(char delimiter, std::string text) {
  std::ranges::replace(text, '\t', delimiter);
  return text;
}

Words column_names(const nn::Dataset& data) {
  Words column_names;
  for (const nn::FeatureColumn& column : data.header().columns) column_names.push_back(column.name);
  return column_names;
}

/// The columns of a table, the target's at last.
Words all_names(const std::string& text, const std::string& target = {}) {
  CsvFile file(text);
  if (!target.empty()) file.spec.targets = {target};
  const nn::Dataset data = file.load();
  Words all = column_names(data);
  all.push_back(data.header().targets.front().name);
  return all;
}

TEST(DecimalSign, ThreeDigitsBehindACommaAreNoEvidence) {
  const std::string text = "pop\tk\ty\n950\t1\tp\n1,234\t2\tq\n30,443\t3\tp\n";
  for (const char delimiter : {'\t', ';', '|'}) {
    const nn::Dataset data = CsvFile(with(delimiter, text)).load();
    EXPECT_EQ(values(data), (Rows{{950, 1}, {1234, 2}, {30443, 3}})) << delimiter;
    EXPECT_TRUE(says(data, "numbers: 'pop' ('1,234' is 1234), 'k'"));
  }
}

TEST(DecimalSign, OtherCommasSettleTheWholeTable) {
  const nn::Dataset data = CsvFile("a\tb\ty\n1,234\t1,5\tp\n950\t2,5\tq\n0,123\t3\tp\n").load();
  EXPECT_EQ(values(data), (Rows{{1.234F, 1.5}, {950, 2.5}, {.123F, 3}}));
  EXPECT_TRUE(says(data, "numbers have a decimal comma"));
}

TEST(DecimalSign, SemicolonsMakeDecimalCommasLikely) {
  const nn::Dataset data = CsvFile("litre;n;y\n1,459;1;p\n1,519;2;q\n1,389;3;p\n").load();
  EXPECT_EQ(values(data), (Rows{{1.459F, 1}, {1.519F, 2}, {1.389F, 3}}));
  EXPECT_TRUE(says(data, "numbers: 'litre' ('1,459' is 1.459), 'n'"));
  CsvFile file("n;litre\n1;1,459\n2;1,519\n3;1,389\n");
  EXPECT_FLOAT_EQ(static_cast<float>(file.load().header().targets.front().shift), 4.367F / 3);
}

TEST(DecimalSign, CommaSeparatedTablesMayHaveThemInQuotes) {
  CsvFile file("a,b,y\n\"-0,5\",1,\"1,25\"\n\"2,75\",2,\"3\"\n3,3,\"0,5\"\n");
  const nn::Dataset data = file.load();
  EXPECT_EQ(values(data), (Rows{{-.5, 1}, {2.75, 2}, {3, 3}}));
  EXPECT_EQ(data.header().task, nn::LearningTask::regression);
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
  const CsvFile later("a,b\n\"1,234\",1\n1.234,2\n");
  nn::TableRows rows(later.spec.path, model);
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(rows.view().f32[0], 1.234F);
  EXPECT_EQ(rows.view().f32[2], 1.234F) << "a point is a point, also where training had none";
}

TEST(DecimalSign, PredictionFollowsTrainingWhereATableDoesNotTell) {
  const nn::Dataset model = nn::preprocessing_from_json(
      nn::preprocessing_json(CsvFile("a\ty\n1,5\tp\n2,25\tq\n").load()));
  EXPECT_TRUE(model.header().decimal_comma);
  const auto read = [&](const std::string& text, Words& notes) {
    const CsvFile later(text);
    nn::TableRows rows(later.spec.path, model);
    (void)rows.next(9);
    notes = rows.notes();
    return std::vector<float>(rows.view().f32, rows.view().f32 + rows.rows());
  };
  Words notes;
  EXPECT_EQ(read("a\ty\n1,234\tp\n950\tq\n", notes), (std::vector<float>{1.234F, 950}));
  EXPECT_EQ(notes, Words{"numbers such as 1,234 have a decimal comma, as in training"});
  EXPECT_EQ(read("a\ty\n1.5\tp\n950\tq\n", notes), (std::vector<float>{1.5, 950}));
  EXPECT_EQ(notes, Words{});
  const nn::Dataset plain = nn::preprocessing_from_json(
      nn::preprocessing_json(CsvFile("a\ty\n1.5\tp\n2.25\tq\n").load()));
  const CsvFile thousands("a\ty\n1,234\tp\n950\tq\n");
  EXPECT_EQ(error_of(thousands.folder.path(),
                     [&] { (void)nn::TableRows(thousands.spec.path, plain).next(9); }),
            "data.csv:2:1: '1,234': expected a number, as column 'a' had in training");
  const CsvFile commas("a\ty\n1,5\tp\n");
  nn::TableRows rows(commas.spec.path, plain);
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(rows.view().f32[0], 1.5);
  EXPECT_EQ(rows.notes(), Words{"numbers have a decimal comma"});
}

TEST(DecimalSign, CommasOfTrainingAreReadInQuotesOfAnotherTable) {
  CsvFile file("a;b;y\n4,26;1;0,5\n3,5;2;1,25\n1;3;2\n");
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(file.load()));
  const CsvFile later("a,b,y\n\"4,26\",3,\"1,25\"\n4.26,3.0,1.25\n\"1,234\",1,7\n1234,1,7\n");
  nn::TableRows rows(later.spec.path, model);
  ASSERT_TRUE(rows.next(9));
  ASSERT_EQ(rows.scored().size(), 4U);
  const auto at = [&](std::size_t row) { return rows.view().f32[2 * row]; };
  EXPECT_EQ(at(0), 4.26F);
  EXPECT_EQ(at(1), 4.26F);
  EXPECT_EQ(at(2), 1.234F);
  EXPECT_EQ(at(3), 1234);
  EXPECT_EQ(rows.view().targets[0], rows.view().targets[1]);
  file.spec.task = nn::LearningTask::classification;
  const nn::Dataset classes = nn::preprocessing_from_json(nn::preprocessing_json(file.load()));
  nn::TableRows labels(later.spec.path, classes);
  ASSERT_TRUE(labels.next(2));
  EXPECT_EQ(labels.scored().size(), 2U);
}

TEST(DecimalSign, TheTestTableFollowsTheTrainingTable) {
  CsvFile file("a\ty\n1,5\tp\n2,25\tq\n");
  file.spec.more = file.folder / "test.csv";
  nn_test::write_file(file.spec.more, "a\ty\n1,234\tp\n950\tq\n");
  EXPECT_EQ(values(file.load()), (Rows{{1.5}, {2.25}, {1.234F}, {950}}));
}

TEST(DecimalSign, TextsWithACommaStayTexts) {
  const nn::Dataset data =
      CsvFile("a\tn\ty\n1,234\t1\tp\nred\t2\tq\nred\t3\tp\nblue\t4\tq\n").load();
  EXPECT_EQ(data.header().columns.at(0).categories, (Words{"1,234", "blue", "red"}));
}

TEST(Delimiter, RunsOfBlanksAreOne) {
  const nn::Dataset data =
      CsvFile("a  b   kind\n\n  0.5   1 \"p p\"\n12.25 -3\tq \n1 2    \"p p\"\r\n").load();
  EXPECT_EQ(values(data), (Rows{{.5, 1}, {12.25, -3}, {1, 2}}));
  EXPECT_EQ(column_names(data), (Words{"a", "b"}));
  EXPECT_EQ(data.header().class_names, (Words{"p p", "q"}));
  EXPECT_TRUE(says(data, "blanks are between the columns"));
  // Tabs, of which some stand doubled.
  EXPECT_EQ(values(CsvFile("1\t2\tp\n3\t\t4\tq\n5\t6\tp\n").load()),
            (Rows{{1, 2}, {3, 4}, {5, 6}}));
}

TEST(Delimiter, BlanksDoNotHideAnOddLine) {
  const CsvFile file("New York,1,p\nSan Francisco,2,3,p\n");
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv:2:19: 4 fields in this line, expected 3 as in line 1");
}

TEST(Delimiter, BlanksBehindNamesOfTheRows) {
  std::string text = "\"a\" \"b\" \"kind\"\n";
  for (int i = 1; i < 30; ++i)
    text += "\"" + std::to_string(i) + "\" " + std::to_string(i * 7 % 5) + " " +
            std::to_string(i * i % 13) + (i % 2 == 0 ? " \"p p\"\n" : " \"q\"\n");
  for (const char delimiter : {' ', ',', '\t'}) {
    CsvFile file(delimiter == ' ' ? text : with(delimiter, [&] {
      std::string tabs = text;
      std::ranges::replace(tabs, ' ', '\t');
      return tabs;
    }()));
    file.spec.targets = {"kind"};
    file.spec.more = file.folder / "test.csv";
    nn_test::write_file(file.spec.more, delimiter == ' ' ? "a b kind\nx1 1 2 q\nx2 3 4 q\n"
                                                         : "c1,a,b,kind\n9,1,2,q\n");
    const nn::Dataset data = file.load();
    EXPECT_EQ(column_names(data), (Words{"a", "b"}));
    EXPECT_EQ(data.header().test_rows, delimiter == ' ' ? 2U : 1U);
    EXPECT_TRUE(says(data,
                     "the first line has one name fewer than the others have fields: their "
                     "first ones name the rows"));
    EXPECT_TRUE(says(data, "left out, names the rows (`keep` makes it inputs): 'c1'"));
  }
}

TEST(Delimiter, NamesOfTheRowsMayBeInputs) {
  CsvFile file("a,kind\nu,1,p\nv,2,q\nw,3,p\n");
  file.spec.keep = {"1"};
  EXPECT_EQ(column_names(file.load()), (Words{"c1", "a"}));
  file.spec.header = nn::HeaderRow::no;
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv:2:5: 3 fields in this line, expected 2 as in line 1");
}

TEST(Delimiter, RowsThatHaveNoNamesOfTheirOwnAreTooLong) {
  const auto message = [](const std::string& text) {
    const CsvFile file(text);
    return error_of(file.folder.path(), [&] { (void)file.load(); });
  };
  const std::string uneven = "data.csv:2:5: 3 fields in this line, expected 2 as in line 1";
  EXPECT_EQ(message("a,kind\n1,2,p\n1,3,q\n"), uneven);
  EXPECT_EQ(message("a,kind\n,2,p\nx,3,q\n"),
            "data.csv:2:4: 3 fields in this line, expected 2 as in line 1");
  EXPECT_EQ(message("a,kind\n1,2,p\n2,3,q\n3,4\n"), uneven);
  EXPECT_EQ(message("5,6\n1,2,7\n2,3,8\n"), uneven);
  EXPECT_EQ(message("a,kind\n1,2,\n3,3,\n"), uneven) << "lines that end with a delimiter";
  EXPECT_EQ(message("a,kind\n1,2,5\n"), uneven) << "one row may have a decimal comma";
  EXPECT_EQ(message("text\nhello,world\nbye,moon\n"),
            "data.csv:2:7: 2 fields in this line, expected 1 as in line 1");
}

TEST(FirstLine, WithoutAnyValueIsData) {
  EXPECT_EQ(all_names("None,-\n1,0\n2,1\n"), (Words{"c1", "c2"}));
  EXPECT_EQ(all_names("NA,\n1,0\n2,1\n"), (Words{"c1", "c2"}));
}

TEST(FirstLine, NumbersThatCountTheColumnsAreNames) {
  const std::string rows = "-0.5,1.5,2.5\n1,0,0.5\n3,1.5,1.5\n";
  EXPECT_EQ(all_names("0,1,2\n" + rows, "2"), (Words{"0", "1", "2"}));
  EXPECT_EQ(all_names("4,5,6\n" + rows), (Words{"4", "5", "6"}));
  EXPECT_EQ(all_names("0,1,kind\n1,2,p\n5,7,q\n"), (Words{"c1", "c2", "c3"}));
  EXPECT_EQ(all_names("0,1,2,kind\n1,0,5,p\n5,7,9,q\n2,2,1,p\n"), (Words{"0", "1", "2", "kind"}));
  EXPECT_EQ(
      all_names("0,1,2,3,4,5,6,7,8,9,kind\n0,0,9,9,0,0,0,0,0,0,p\n0,1,0,0,0,0,0,0,0,0,q\n")[9],
      "9");
  std::string index = ",0,1\n";
  for (int i = 0; i < 30; ++i)
    index += std::to_string(i) + "," + std::to_string(i * 7 % 30) + ".5," +
             std::to_string(i * 11 % 30) + ".25\n";
  EXPECT_EQ(all_names(index), (Words{"0", "1"})) << "without the rows' numbers";
  EXPECT_TRUE(says(CsvFile(index).load(),
                   "the first line names the columns, though it has numbers (`header: false` "
                   "treats it as data)"));
}

TEST(FirstLine, RowsThatGoUpByOneAreData) {
  const Words numbered{"c1", "c2", "c3"};
  EXPECT_EQ(all_names("0,1,2\n1,2,3\n7,5,6\n"), numbered);
  EXPECT_EQ(all_names("4,5,6\n5,9,1\n4,2,7\n"), numbered);
  EXPECT_EQ(all_names("1,2,3\n4,5,6\n7,5,9\n"), numbered);
  EXPECT_EQ(all_names("0,1,2\n1,3,4\n0,5,6\n"), numbered);
  EXPECT_EQ(all_names("5,6,7,p\n1,3,9,q\n2,8,5,p\n"), (Words{"c1", "c2", "c3", "c4"}));
}

TEST(FirstLine, YearsAboveOtherNumbersAreNames) {
  EXPECT_EQ(all_names("region,2019,2020\nr0,0.5,0.25\nr0,1.5,0.75\nr1,2,0.5\n"),
            (Words{"region", "2019", "2020"}));
  EXPECT_EQ(all_names("region,2000,2010\nr0,1999,5\nr0,2001,7\nr1,1500,9\n"),
            (Words{"c1", "c2", "c3"}));
  EXPECT_EQ(all_names("house,2000,1200\nr0,1100,5\nr0,900,7\nr1,1500,9\n"),
            (Words{"c1", "c2", "c3"}));
}

TEST(FirstLine, ATargetThatIsNoPlaceIsAName) {
  EXPECT_EQ(all_names("r,1990,2021\nu,0.5,0.25\nv,2000,0.75\nv,2,0.5\n", "2021"),
            (Words{"r", "1990", "2021"}));
  CsvFile file("r0,5,7\nr1,6,3\nr0,1,2\n");
  file.spec.targets = {"2021"};
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv: target: there is no column 2021, the table has 3 columns; the first line "
            "does not name the columns (`header: true` if it does)");
}

}  // namespace
