// Numbers written for people: with signs of currency and percent, with separators of thousands.

#include "nn/data/number_format.h"

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

/// The numbers that a column of these fields holds, read in the format that was found; none found,
/// none read.
std::vector<double> numbers_of(const Words& fields, bool decimal_comma = false) {
  nn::NumberFormatFinder finder;
  std::vector<double> numbers;
  for (const std::string& field : fields) finder.add(nn::CsvField{.raw = field});
  const auto format = finder.found({.path = {}, .text = {}, .decimal_comma = decimal_comma});
  if (!format || finder.misfits() > 0) return numbers;
  for (const std::string& field : fields) {
    double number = 0;
    if (nn::read_number(nn::CsvField{.raw = field}, *format, number) == nn::FieldKind::number)
      numbers.push_back(number);
  }
  return numbers;
}

using Numbers = std::vector<double>;

TEST(NumberFormat, SignsStandBeforeOrAfter) {
  EXPECT_EQ(numbers_of({"$91.16", "37", "-$5", "$-.5", "$ 1"}), (Numbers{91.16, 37, -5, -.5, 1}));
  EXPECT_EQ(numbers_of({"12,50 €", "€3"}), (Numbers{12.5, 3}));
  EXPECT_EQ(numbers_of({"£1", "£2.25"}), (Numbers{1, 2.25}));
  EXPECT_EQ(numbers_of({"¥100", "100¥", "₹5"}), (Numbers{}));
  EXPECT_EQ(numbers_of({"₹100", "5₹"}), (Numbers{100, 5}));
  EXPECT_EQ(numbers_of({"12%", "-3.5 %"}), (Numbers{12, -3.5}));
  EXPECT_EQ(numbers_of({"12%", "0.5"}), (Numbers{})) << "half a percent, or half?";
  EXPECT_EQ(numbers_of({"$1", "€1"}), (Numbers{}));
  EXPECT_EQ(numbers_of({"$1€"}), (Numbers{}));
  EXPECT_EQ(numbers_of({"$"}), (Numbers{}));
  EXPECT_EQ(numbers_of({"--$1"}), (Numbers{}));
  EXPECT_EQ(numbers_of({"-$-1"}), (Numbers{}));
}

TEST(NumberFormat, GroupsThatTrainingHadNoneOfAreReadToo) {
  nn::NumberFormatFinder finder;
  for (const char* field : {"$12.50", "$3"}) finder.add(nn::CsvField{.raw = field});
  const auto format = finder.found({});
  ASSERT_TRUE(format);
  double number = 0;
  EXPECT_EQ(nn::read_number(nn::CsvField{.raw = "$1,020.50"}, *format, number),
            nn::FieldKind::number);
  EXPECT_EQ(number, 1020.5);
  EXPECT_NE(nn::read_number(nn::CsvField{.raw = "$1,02"}, *format, number), nn::FieldKind::number);
}

TEST(NumberFormat, GroupsHaveThreeDigits) {
  EXPECT_EQ(numbers_of({"1,234,567.89", "12", "999.5", "1234"}),
            (Numbers{1234567.89, 12, 999.5, 1234}));
  EXPECT_EQ(numbers_of({"1.234.567,89", "12,5"}), (Numbers{1234567.89, 12.5}));
  EXPECT_EQ(numbers_of({"1 234 567,89", "1 234"}), (Numbers{1234567.89, 1234}));
  EXPECT_EQ(numbers_of({"1\u00a0234.5", "1\u202f234"}), (Numbers{1234.5, 1234}));
  EXPECT_EQ(numbers_of({"1'234.50", "1’234"}), (Numbers{1234.5, 1234}));
  for (const char* none : {"1,23", "1,2345", "12,34,567", "1234,567,890", "0,123", "1,234,", ",123",
                           "1,,234", "1.234.5", "1 2", "22.11.2026", "1,234.567.890"})
    EXPECT_EQ(numbers_of({"1,234,567", none}), (Numbers{})) << none;
}

TEST(NumberFormat, TheTablesDecimalSignSettlesWhatOneGroupLeavesOpen) {
  EXPECT_EQ(numbers_of({"$1,234"}, false), (Numbers{1234}));
  EXPECT_EQ(numbers_of({"€1,234"}, true), (Numbers{1.234}));
  EXPECT_EQ(numbers_of({"1,234", "1,234,567"}, true), (Numbers{1234, 1234567}));
  EXPECT_EQ(numbers_of({"1,234", "1,5", "950"}), (Numbers{1.234, 1.5, 950}));
  EXPECT_EQ(numbers_of({"1,234", "950"}), (Numbers{1234, 950}));
}

std::string table(int rows, const std::function<std::string(int)>& field,
                  const std::string& delimiter = ",") {
  std::string text = "c" + delimiter + "n" + delimiter + "y\n";
  for (int i = 0; i < rows; ++i)
    text += field(i) + delimiter + std::to_string(i * 7 % rows) + delimiter +
            (i % 2 == 0 ? "p\n" : "q\n");
  return text;
}

TEST(NumberFormat, ColumnsAreNumbersInTrainingAndInPrediction) {
  const nn::Dataset plain =
      CsvFile(table(40, [](int i) { return std::to_string(1000 + 13 * i) + ".5"; })).load();
  const nn::Dataset data = CsvFile(table(40, [](int i) {
                             const std::string digits = std::to_string(1000 + 13 * i);
                             return "\"$" + digits.substr(0, 1) + "," + digits.substr(1) + ".5\"";
                           })).load();
  EXPECT_EQ(values(data), values(plain));
  EXPECT_TRUE(says(data, "numbers: 'c' ('$1,000.5' is 1000.5), 'n'"));
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
  EXPECT_EQ(model.header().columns, data.header().columns);
  const CsvFile later("n,c,y\n1,\"$2,000.25\",p\n2,2000.25,p\n3,,q\n4,\"2,000.25\",q\n");
  nn::TableRows rows(later.spec.path, model);
  ASSERT_TRUE(rows.next(9));
  const nn::DataView view = rows.view();
  for (const int row : {0, 1, 3}) EXPECT_EQ(view.f32[2 * row], 2000.25F) << row;
  const CsvFile wrong("n,c,y\n1,EUR 5,p\n");
  EXPECT_EQ(
      error_of(wrong.folder.path(), [&] { (void)nn::TableRows(wrong.spec.path, model).next(9); }),
      "data.csv:2:3: 'EUR 5': expected a number, as column 'c' holds for the model");
}

TEST(NumberFormat, ThousandsWithPointsDoNotHideDecimalCommas) {
  const nn::Dataset data =
      CsvFile("people;rate;y\n1.234;1,5;p\n12.345;2,25;q\n999;3,0;p\n2.000;1,75;q\n").load();
  EXPECT_EQ(values(data), (Rows{{1234, 1.5}, {12345, 2.25}, {999, 3}, {2000, 1.75}}));
  const nn::Dataset points = CsvFile("a;y\n1.234;p\n2.345;q\n").load();
  EXPECT_EQ(values(points), (Rows{{1.234F}, {2.345F}})) << "nothing says that these are thousands";
}

TEST(NumberFormat, AWordAmongThemIsASlip) {
  CsvFile file(table(40, [](int i) { return i == 3 ? "ask" : "$" + std::to_string(i); }));
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv:5:1: 'ask': expected a number, as in 39 other rows of column 'c'"
            "; where it stands for no value, name it in data.missing");
  const CsvFile half(
      table(40, [](int i) { return i % 2 == 0 ? "ask" : "$" + std::to_string(i % 4); }));
  EXPECT_TRUE(says(half.load(), "texts, one input for each: 'c' (3)"));
}

TEST(NumberFormat, TargetsAreNumbersUnlessTheyLookLikeClasses) {
  CsvFile file(table(40, [](int i) { return "$" + std::to_string(i) + ".50"; }));
  file.spec.targets = {"c"};
  const nn::Dataset data = file.load();
  EXPECT_EQ(data.header().task, nn::LearningTask::regression);
  EXPECT_TRUE(says(data, "the target 'c' is numbers: '$0.50' is 0.5"));
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
  ASSERT_EQ(model.header().target_formats, data.header().target_formats);
  const CsvFile later("n,c,y\n1,$7.50,p\n2,7.50,q\n");
  nn::TableRows rows(later.spec.path, model);
  ASSERT_TRUE(rows.next(9));
  ASSERT_EQ(rows.scored().size(), rows.rows());
  EXPECT_EQ(rows.view().targets[0], rows.view().targets[1]);
  CsvFile few(table(40, [](int i) { return std::to_string(i % 2 * 10) + "%"; }));
  few.spec.targets = {"c"};
  EXPECT_EQ(few.load().header().class_names, (Words{"0%", "10%"}));
}

TEST(Target, TextsThatHardlyRecurAreRefused) {
  CsvFile file(table(40, [](int i) { return "name" + std::to_string(i % 38); }));
  file.spec.targets = {"c"};
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv:2:1: 'name0': the target 'c' has 38 different texts in 40 rows, expected "
            "numbers or classes that recur (task: classification takes each text as a class)");
  file.spec.task = nn::LearningTask::classification;
  EXPECT_EQ(file.load().classes(), 38U);
}

}  // namespace
