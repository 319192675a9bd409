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

TEST(NumberFormat, AccountantsWriteTheMinusElsewhere) {
  EXPECT_EQ(numbers_of({"(1,234.50)", "12", "1,000"}), (Numbers{-1234.5, 12, 1000}));
  EXPECT_EQ(numbers_of({"7.7-", "3"}), (Numbers{-7.7, 3}));
  EXPECT_EQ(numbers_of({"\u22125", "4.5"}), (Numbers{-5, 4.5}));
  EXPECT_EQ(numbers_of({"($5)", "$(6)", "$7", "$8-"}), (Numbers{-5, -6, 7, -8}));
  EXPECT_EQ(numbers_of({"(5%)", "(6)%", "7%"}), (Numbers{-5, -6, 7}));
  EXPECT_EQ(numbers_of({"(1.234,5)", "2,5"}), (Numbers{-1234.5, 2.5}));
  for (const char* none : {"-(5)", "(5", "5)", "-5-", "(-5)", "()", "-", "5-7"})
    EXPECT_EQ(numbers_of({"(5)", none}), (Numbers{})) << none;
}

TEST(NumberFormat, LaboratoriesWriteBounds) {
  EXPECT_EQ(numbers_of({"<0.5", "1.25", "> 100", "<=2", "\u22653"}),
            (Numbers{0.5, 1.25, 100, 2, 3}));
  EXPECT_EQ(numbers_of({"<1e-6", "2.5e-5"}), (Numbers{1e-6, 2.5e-5}));
  EXPECT_EQ(numbers_of({"<0,5", "1,25"}, true), (Numbers{0.5, 1.25}));
  for (const char* none : {"<", "<<5", "5<", "< LOD"})
    EXPECT_EQ(numbers_of({"<5", none}), (Numbers{})) << none;
}

TEST(NumberFormat, UnitsStandBehindOrAreCurrenciesInFront) {
  EXPECT_EQ(numbers_of({"37 kg", "-1.5 kg", "1,200 kg"}), (Numbers{37, -1.5, 1200}));
  EXPECT_EQ(numbers_of({"37.5\u00b0C", "36\u00b0C"}), (Numbers{37.5, 36}));
  EXPECT_EQ(numbers_of({"5 m/s^2", "1e3 m/s^2"}), (Numbers{5, 1000}));
  EXPECT_EQ(numbers_of({"5 sq ft", "7", "9 sq ft"}), (Numbers{5, 7, 9}));
  EXPECT_EQ(numbers_of({"1 day", "2 days"}), (Numbers{1, 2}));
  EXPECT_EQ(numbers_of({"EUR 5", "EUR 1,250", "6 EUR"}), (Numbers{5, 1250, 6}));
  EXPECT_EQ(numbers_of({"US$5", "US$-6.5"}), (Numbers{5, -6.5}));
  EXPECT_EQ(numbers_of({"$5 per day", "$6 per day"}), (Numbers{5, 6}));
}

TEST(NumberFormat, CodesHaveNoUnit) {
  EXPECT_EQ(numbers_of({"136A", "12", "13"}), (Numbers{})) << "one of several has a letter";
  EXPECT_EQ(numbers_of({"5 kg", "7", "8", "9"}), (Numbers{})) << "most have no unit";
  for (const char* none : {"5 lb", "5 kg of 7", "kg 5", "5-kg", "5 Mar 2020", "c12", "3 of 7"})
    EXPECT_EQ(numbers_of({"5 kg", none}), (Numbers{})) << none;
  EXPECT_EQ(numbers_of({"5 mV", "5 MV"}), (Numbers{}));
}

TEST(NumberFormat, SpansOfTimeAreSeconds) {
  EXPECT_EQ(numbers_of({"36:15:00", "1:02:03.5"}), (Numbers{130500, 3723.5}));
  EXPECT_EQ(numbers_of({"62:03", "1:02:03"}), (Numbers{3723, 3723}));
  EXPECT_EQ(numbers_of({"1h 30m", "45 min", "2 hours"}), (Numbers{5400, 2700, 7200}));
  EXPECT_EQ(numbers_of({"0 days 00:05:00", "2 days 01:00:00"}), (Numbers{300, 176400}));
  EXPECT_EQ(numbers_of({"1 day, 2:03:04", "0:00:04"}), (Numbers{93784, 4}));
  EXPECT_EQ(numbers_of({"PT1H30M", "P1DT0.5S"}), (Numbers{5400, 86400.5}));
  EXPECT_EQ(numbers_of({"-1 days +23:59:59", "-0:00:02"}), (Numbers{-1, -2}));
  for (const char* none : {"1:60", "1:2:3", "1:02:03:04", "5", "1:02 h", "30m 1h", "PT", "1h 30"})
    EXPECT_EQ(numbers_of({"99:10", none}), (Numbers{})) << none;
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
      "data.csv:2:3: 'EUR 5': expected a number, as column 'c' had in training");
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
            "data.csv:5:1: 'ask': expected a number, as in 39 other rows of column 'c'; if it "
            "marks a missing value, list it in data.missing");
  const CsvFile half(
      table(40, [](int i) { return i % 2 == 0 ? "ask" : "$" + std::to_string(i % 4); }));
  EXPECT_TRUE(says(half.load(), "categories, one input for each: 'c' (3)"));
}

/// Of a column of 40 fields: what check says of it.
std::string note_of(const std::function<std::string(int)>& field) {
  const nn::Dataset data = CsvFile(table(40, field)).load();
  for (const std::string& note : data.header().notes) {
    const std::size_t at = note.find("'c'");
    if (at != std::string::npos) return note;
  }
  return "";
}

TEST(NumberFormat, EachWayIsReadBackByPrediction) {
  struct Case {
    const char* front;
    const char* end;
    const char* later;  ///< 7 in that way
  };
  const Case cases[] = {{"\"(", ")\"", "(7)"},     {"", "-", "7-"},
                        {"\u2212", "", "\u22127"}, {"<", "", "<-7"},
                        {"-", " kg", "-7 kg"},     {"EUR -", "", "EUR -7"},
                        {"-", " days", "-7 day"},  {"-0:00:", "", "-0:00:07"}};
  for (const Case& one : cases) {
    const nn::Dataset data = CsvFile(table(40, [&](int i) {
                               return one.front + std::to_string(10 + i * 7 % 40) + one.end;
                             })).load();
    const float sign = one.front[0] == '<' ? 1 : -1;
    for (int i = 0; i < 40; ++i)
      EXPECT_EQ(values(data)[i][0], sign * static_cast<float>(10 + i * 7 % 40)) << one.later;
    const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
    EXPECT_EQ(model.header().columns, data.header().columns);
    const CsvFile later(std::string("c,n\n") + one.later + ",1\nx,2\n");
    nn::TableRows rows(later.spec.path, model);
    ASSERT_TRUE(rows.next(1)) << one.later;
    EXPECT_EQ(rows.view().f32[0], -7) << one.later;
    EXPECT_EQ(error_of(later.folder.path(), [&] { (void)rows.next(1); }).substr(0, 15),
              "data.csv:3:1: '")
        << one.later;
  }
}

TEST(NumberFormat, ChecksSayHowTheyAreRead) {
  const auto written = [](const std::string& front, const std::string& end) {
    return [=](int i) { return front + std::to_string(10 + i * 7 % 40) + end; };
  };
  EXPECT_EQ(note_of(written("\"(", ")\"")), "numbers: 'c' ('(10)' is -10), 'n'");
  EXPECT_EQ(note_of(written("", " kg")), "numbers: 'c' ('10 kg' is 10), 'n'");
  EXPECT_EQ(note_of([](int i) { return (i == 5 ? "<" : "") + std::to_string(i * 7 % 40); }),
            "numbers: 'c' ('<35' is 35), 'n'");
  EXPECT_EQ(note_of([](int i) { return std::to_string(24 + i) + ":30"; }),
            "numbers: 'c' ('24:30' is 1470), 'n'");
}

TEST(NumberFormat, AFewGapsAmongNumbersAreMissing) {
  for (const char* gap : {"***", "..", "\u2014", "5-7", "1/2"}) {
    const auto field = [&](int i) {
      return i == 3 || i == 9 ? std::string(gap) : std::to_string(i * 7 % 40) + ".5";
    };
    const nn::Dataset data = CsvFile(table(40, field)).load();
    EXPECT_TRUE(says(data, "not numbers, treated as missing values: 'c' (2, such as '" +
                               std::string(gap) + "')"));
    EXPECT_EQ(values(data)[3][1], 1) << "the indicator";
    const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
    const CsvFile later(std::string("c,n\n") + gap + ",1\n---,2\nword,3\n");
    nn::TableRows rows(later.spec.path, model);
    ASSERT_TRUE(rows.next(2));
    EXPECT_EQ(rows.view().f32[1], 1);
    EXPECT_EQ(rows.view().f32[4], 1);
    EXPECT_EQ(error_of(later.folder.path(), [&] { (void)rows.next(1); }),
              "data.csv:4:1: 'word': expected a number, as column 'c' had in training");
  }
}

TEST(NumberFormat, ManyGapsOrOneWordAreNot) {
  const auto message = [](int gaps, const std::string& gap) {
    const CsvFile file(table(
        40, [&](int i) { return i < gaps ? gap : std::to_string(i * 7 % 400 + 1000) + ".5"; }));
    return error_of(file.folder.path(), [&] { (void)file.load(); });
  };
  EXPECT_EQ(message(2, "***"), "no error");
  EXPECT_EQ(message(3, "***").substr(0, 38), "data.csv:2:1: '***': expected a number");
  EXPECT_EQ(message(1, "unknown").substr(0, 42), "data.csv:2:1: 'unknown': expected a number");
  EXPECT_EQ(message(1, "\"2,5\"").substr(0, 38), "data.csv:2:1: '2,5': expected a number");
}

TEST(NumberFormat, AWordAmongNumbersWithUnitsLeavesThemTexts) {
  const auto sized = [](const std::string& word) {
    return CsvFile(table(60, [&](int i) { return i == 7 ? word : std::to_string(i % 6) + " mm"; }));
  };
  EXPECT_TRUE(says(sized("5 mm").load(), "numbers: 'c' ('0 mm' is 0), 'n'"));
  EXPECT_TRUE(says(sized("large").load(), "categories, one input for each: 'c' (7)"));
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
