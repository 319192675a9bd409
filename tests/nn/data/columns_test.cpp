// What the columns of a table are taken for.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using nn_test::list;
using nn_test::says;
using nn_test::values;
using Words = std::vector<std::string>;

/// A table of `rows` rows: `field(row)` and then a number and a class that nobody minds.
template <class Field>
std::string table(int rows, Field field, const std::string& name = "c") {
  std::string text = name + ",n,y\n";
  for (int i = 0; i < rows; ++i) {
    text += field(i) + "," + std::to_string(i * 7 % rows) + (i % 2 == 0 ? ",p\n" : ",q\n");
  }
  return text;
}

Words names(const nn::Dataset& data) {
  Words names;
  for (const nn::FeatureColumn& column : data.header().columns) names.push_back(column.name);
  return names;
}

TEST(Columns, LeavesOutWhatNumbersTheRows) {
  const std::string text = table(40, [](int i) { return std::to_string(100 + i); });
  CsvFile file(text);
  EXPECT_EQ(names(file.load()), (Words{"n"}));
  EXPECT_TRUE(says(file.load(), "left out, only counts the rows (`keep` makes it an input): 'c'"));
  file.spec.keep = {"c"};
  EXPECT_EQ(names(file.load()), (Words{"c", "n"}));
}

TEST(Columns, LeavesOutWhatNumbersTheRowsOfWhichSomeAreNone) {
  std::string text = "id,n,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + "," + std::to_string(i * 7 % 40) +
            (i % 9 == 5   ? ",\n"
             : i % 2 == 0 ? ",p\n"
                          : ",q\n");
  EXPECT_EQ(names(CsvFile(text).load()), (Words{"n"}));
  std::string thousands = "id\tn\ty\n";
  for (int i = 0; i < 40; ++i)
    thousands += "1,0" + std::to_string(10 + i) + "\t" + std::to_string(i * 7 % 40) +
                 (i % 9 == 5   ? "\t\n"
                  : i % 2 == 0 ? "\tp\n"
                               : "\tq\n");
  EXPECT_EQ(names(CsvFile(thousands).load()), (Words{"n"}));
}

TEST(Columns, SaysWhatWasLeftOutAlthoughItHasNumbers) {
  const nn::Dataset data = CsvFile(table(60, [](int i) {
                             return (i % 3 == 0 ? "A/" : "") + std::to_string(1000 + i * 7);
                           })).load();
  EXPECT_TRUE(
      says(data,
           "left out, a value of its own in nearly every row (`keep` makes it inputs): 'c' (40 "
           "numbers, and 20 texts such as 'A/1000')"));
}

TEST(Columns, BlanksWithinQuotesAreNoneOfANumber) {
  const nn::Dataset data =
      CsvFile(
          "a,d,t,y\n\"   1.5\",\" 1970-01-02\",\" u\",p\n\"  -2 \",\"1970-01-03 \",u,q\n"
          "\"    \",\"\",\" u\",p\n3,\" - \",u,\" \"\n")
          .load();
  const auto x = values(data);
  ASSERT_EQ(data.rows(), 3U) << "a blank target is none";
  EXPECT_EQ(x[0][0], 1.5);
  EXPECT_EQ(x[1][0], -2);
  EXPECT_EQ(x[2][1], 1) << "missing";
  EXPECT_EQ(data.header().columns.at(1).kind(), nn::ColumnKind::date);
  EXPECT_EQ(data.header().columns.at(2).categories, (Words{" u", "u"}));
}

TEST(Columns, TimesOfDayMayHaveAZoneAndYearsTwoDigits) {
  const auto note_of = [](const std::function<std::string(int)>& field) {
    const nn::Dataset data = CsvFile(table(40, field)).load();
    EXPECT_EQ(data.header().columns.at(0).kind(), nn::ColumnKind::date);
    Words notes = data.header().notes;
    std::erase_if(notes, [](const std::string& note) { return !note.starts_with("dates"); });
    return notes.empty() ? "" : notes[0].substr(notes[0].find('\''));
  };
  const auto day = [](int i) { return std::to_string(10 + i % 19); };
  EXPECT_EQ(note_of([&](int i) { return "2020-01-" + day(i) + " 10:00:00+00"; }),
            "'c' (year first)");
  EXPECT_EQ(note_of([&](int i) { return "01/" + day(i) + "/2020 03:45 PM"; }), "'c' (month first)");
  EXPECT_EQ(note_of([&](int i) { return "01/" + day(i) + "/20"; }),
            "'c' (month first, years from 1969 to 2068)");
  EXPECT_EQ(note_of([&](int i) { return day(i) + "-Jan-2020"; }), "'c' (day first)");
}

TEST(Columns, NumbersLargeBesideTheirSpreadAreKeptLessTheLeast) {
  std::string text = "when,n,y\n";
  for (int i = 0; i < 40; ++i)
    text += (i == 3 ? "" : std::to_string(1700000003 + i * 7 % 40)) + "," +
            std::to_string(i * 3 % 40) + ".5" + (i % 2 == 0 ? ",p\n" : ",q\n");
  CsvFile file(text);
  EXPECT_EQ(file.load().header().columns.at(0).offset, 0) << "without a scale, as they are";
  file.spec.scale = nn::Scale::standard;
  const nn::Dataset data = file.load();
  EXPECT_EQ(data.header().columns.at(0).offset, 1700000003);
  EXPECT_EQ(data.header().columns.at(1).offset, 0);
  EXPECT_TRUE(says(data,
                   "subtracted from the numbers, which are large compared with their spread: "
                   "'when' (1700000003)"));
  for (const std::size_t i : {1U, 2U, 39U}) EXPECT_EQ(values(data)[i][0], i * 7 % 40);
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
  EXPECT_EQ(model.header().columns, data.header().columns);
  const CsvFile later("when,n\n1700000020,1\n,2\n");
  nn::TableRows rows(later.spec.path, model);
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(rows.view().f32[0], 17);
  EXPECT_EQ(rows.view().f32[3], data.header().columns[0].fill);
}

TEST(Columns, LeavesOutTextsThatNameTheRows) {
  for (const int rows : {30, 300}) {
    CsvFile file(table(rows, [](int i) { return "patient " + std::to_string(i); }));
    EXPECT_EQ(names(file.load()), (Words{"n"}));
    EXPECT_TRUE(
        says(file.load(),
             "left out, a value of its own in nearly every row (`keep` makes it inputs): 'c' "
             "(such as 'patient 0')"));
    file.spec.keep = {"c"};
    EXPECT_EQ(file.load().cols(), rows == 30 ? 31U : 65U);
  }
}

TEST(Columns, AFewTextsAmongDatesAreSlips) {
  const auto dated = [](int slips, const std::string& slip) {
    return CsvFile(table(60, [&](int i) {
      const std::string day = std::to_string(1 + i % 28);
      return i >= 30 && i < 30 + slips
                 ? slip
                 : "2023-0" + std::to_string(1 + i / 28) + (day.size() > 1 ? "-" : "-0") + day;
    }));
  };
  for (const char* slip : {"2023-02-30", "unknown", "05/06/2023", "0000-00-00"}) {
    CsvFile file = dated(2, slip);
    EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
              "data.csv:32:1: '" + std::string(slip) +
                  "': expected a date, as in 58 other rows of column 'c'; if it marks a missing "
                  "value, list it in data.missing");
    file.spec.missing = {slip};
    EXPECT_TRUE(
        says(file.load(),
             "dates: the day, and its place in the year and in the week: 'c' (year first)"));
    file.spec.missing.clear();
    file.spec.keep = {"c"};
    EXPECT_GT(file.load().cols(), 50U) << "texts, as the study says";
  }
  EXPECT_EQ(names(dated(7, "unknown").load()), (Words{"n"}));
  const auto nothing_but = [](const std::string& none) {
    return CsvFile(table(60, [&](int) { return none; }));
  };
  for (const char* none : {"-", "None"}) EXPECT_EQ(names(nothing_but(none).load()), (Words{"n"}));
}

TEST(Columns, SlipsAmongDatesAreCountedOverAllRows) {
  const CsvFile file(table(400, [](int i) {
    return i < 12 ? std::string("n/k") : "2023-01-" + std::to_string(10 + i % 20);
  }));
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }).substr(0, 40),
            "data.csv:2:1: 'n/k': expected a date, as");
}

TEST(Columns, OfOneNameAreToldApart) {
  CsvFile file("p,q,p,p.2,p,y\n1,30,5,9,2,u\n2,10,9,8,1,v\n3,20,7,7,9,u\n");
  EXPECT_EQ(names(file.load()), (Words{"p", "q", "p.3", "p.2", "p.4"}));
  EXPECT_TRUE(says(file.load(), "columns of one name are told apart by a number: 'p.3', 'p.4'"));
  file.spec.ignore = {"3", "p.4"};
  EXPECT_EQ(names(file.load()), (Words{"p", "q", "p.2"}));
  file.spec.more = file.folder / "test.csv";
  nn_test::write_file(file.spec.more, "p,q,p,p.2,p,y\n1,30,5,9,2,u\n");
  EXPECT_EQ(file.load().header().test_rows, 1U);
  file.spec.ignore = {"p"};
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }),
            "data.csv: ignore: several columns are called 'p'; give the number of one of them");
}

TEST(Columns, ALastRowThatSumsUpTheOthersIsRefused) {
  const auto report = [](const std::string& last, int rows = 8) {
    std::string text = "id;a;b;y\n";
    for (int i = 1; i <= rows; ++i)
      text += "n" + std::to_string(i % 5) + ";" + std::to_string(i * 7 % 8) + ";1;" +
              std::to_string(100 * i) + ".25\n";
    CsvFile file(text + last);
    file.spec.missing = {"Summe"};
    return error_of(file.folder.path(), [&] { (void)file.load(); });
  };
  const auto refused = [](int column) {
    return "data.csv:10:" + std::to_string(column) +
           ": '3602' is the sum of the other rows of the target 'y', expected a row of its own; in "
           "data: `skip: {footer: 1}` leaves the last line out";
  };
  EXPECT_EQ(report("Total:;28;;3602\n"), refused(12));
  EXPECT_EQ(report(";;;3602\n"), refused(4));
  EXPECT_EQ(report("TOTAL;28;8;3602\n"), refused(12));
  EXPECT_EQ(report("Summe;28;8;3602\n"), refused(12)) << "and no missing value hides it";
  EXPECT_EQ(report("n1;28;8;3602\n"), "no error") << "a row like the others";
  EXPECT_EQ(
      report("Total;28;;3603\n"),
      "data.csv:10:11: '3603', called 'Total', is larger than all other rows of the target "
      "'y', expected a row of its own; in data: `skip: {footer: 1}` leaves the last line out");
  EXPECT_EQ(report("Total;28;;3\n"), "no error");
  EXPECT_EQ(report("Total;28;8;3603\n"), "no error");
  EXPECT_EQ(report("Total;3;4;5\nTotal;28;;3603\n"), "no error") << "a name that recurs";
  EXPECT_EQ(report("Total;;;600.75\n", 3), "no error") << "too few";
}

TEST(Columns, SaysThatZerosStandInFront) {
  const auto zeros = [](const std::string& front) {
    return says(
        CsvFile(table(30, [&](int i) { return front + std::to_string(i % 7); })).load(),
        "numbers with leading zeros, as in codes (`categories` treats them as categories): 'c'");
  };
  EXPECT_TRUE(zeros("0"));
  EXPECT_FALSE(zeros("1"));
  EXPECT_FALSE(zeros("0."));
}

TEST(Columns, ErrorsOfSpreadsheetsAreNoValues) {
  const char* const kErrors[] = {"#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"};
  const nn::Dataset data = CsvFile(table(60, [&](int i) {
                             return i < 6 ? kErrors[i] : std::to_string(i * 7 % 60);
                           })).load();
  EXPECT_TRUE(says(data,
                   "missing values, replaced by the mean over the training part and marked by one "
                   "more input: 'c' (6)"));
}

TEST(Columns, TakesNumbersForNamesWhereTheStudySaysSo) {
  CsvFile file("code,n,y\n007,1,p\n7,2,q\n12,3,p\n,4,q\n007,5,p\n12,6,q\n");
  EXPECT_EQ(file.load().cols(), 3U);  // the number, whether it is missing, n
  file.spec.categories = {"code"};
  const nn::Dataset data = file.load();
  const nn::FeatureColumn& column = data.header().columns.at(0);
  EXPECT_EQ(column.kind(), nn::ColumnKind::categories);
  EXPECT_EQ(column.categories, (Words{"007", "12", "7"}));
  EXPECT_EQ(data.cols(), 4U);
}

TEST(Columns, TakesDatesAndMoneyForNamesWhereTheStudySaysSo) {
  CsvFile file("month,price,n,y\n2026-01,$1,1,p\n2026-02,$2,2,q\n2026-01,$1,3,p\n5,free,4,q\n");
  file.spec.categories = {"month", "price"};
  const nn::Dataset data = file.load();
  EXPECT_EQ(data.header().columns.at(0).categories, (Words{"2026-01", "2026-02", "5"}));
  EXPECT_EQ(data.header().columns.at(1).categories, (Words{"$1", "$2", "free"}));
}

TEST(Columns, NamesThatAreAllTheirOwnAreKeptWhereTheStudySaysSo) {
  CsvFile file(table(40, [](int i) { return std::to_string(100 + i); }));
  file.spec.categories = {"c"};
  EXPECT_EQ(file.load().cols(), 41U);
}

TEST(Columns, SaysWhatNeverChanges) {
  const nn::Dataset text = CsvFile(table(30, [](int) { return std::string("same"); })).load();
  EXPECT_EQ(names(text), (Words{"n"}));
  EXPECT_TRUE(says(text, "left out, the same value in every row: 'c'"));
  const nn::Dataset number = CsvFile(table(30, [](int) { return std::string("7"); })).load();
  EXPECT_EQ(names(number), (Words{"c", "n"}));
  EXPECT_TRUE(says(number, "the same number in every row, nothing to learn from: 'c'"));
}

TEST(Columns, DatesBecomeADayAndItsPlaceInTheYearAndInTheWeek) {
  CsvFile file("d,n,y\n1970-01-02,1,p\n1970-01-09,2,q\n1971-07-02T12:00,3,p\n,4,q\n");
  const nn::Dataset data = file.load();
  const nn::FeatureColumn& column = data.header().columns.at(0);
  EXPECT_EQ(column.kind(), nn::ColumnKind::date);
  EXPECT_EQ(column.inputs(), 8U);  // the day, the year, the week, the time of day, missing or not
  const auto x = values(data);
  EXPECT_EQ(x[0][0], 1);
  EXPECT_EQ(x[1][0], 8);
  EXPECT_EQ(x[2][0], 547.5F);
  EXPECT_FLOAT_EQ(x[3][0], (1 + 8 + 547.5F) / 3);
  EXPECT_NEAR(x[0][1], std::sin(2 * M_PI / 365.2425), 1e-6);
  EXPECT_NEAR(x[0][2], std::cos(2 * M_PI / 365.2425), 1e-6);
  for (const std::size_t c : {3, 4}) EXPECT_FLOAT_EQ(x[0][c], x[1][c]);  // both Fridays
  EXPECT_NEAR(x[2][6], -1, 1e-6);                                        // noon
  EXPECT_EQ(x[3][7], 1);
  EXPECT_EQ(x[2][7], 0);
  EXPECT_TRUE(
      says(data, "dates: the day, and its place in the year and in the week: 'd' (year first)"));
}

TEST(Columns, MonthsBecomeTheirFirstDayAndItsPlaceInTheYear) {
  for (const char* second : {"1970-02", "1970Q1", "Feb-1970"}) {
    const bool quarter = std::string(second).find('Q') != std::string::npos;
    CsvFile file("d,n,y\n1970-01,1,p\n" + std::string(second) + ",2,q\n1971-07,3,p\n,4,q\n");
    const nn::Dataset data = file.load();
    const nn::FeatureColumn& column = data.header().columns.at(0);
    EXPECT_EQ(column.date, nn::DateOrder::month);
    EXPECT_EQ(column.inputs(), 4U);  // the day, the year, missing or not
    const auto x = values(data);
    EXPECT_EQ(x[1][0], quarter ? 0 : 31);
    EXPECT_EQ(x[2][0], 546);
    EXPECT_NEAR(x[1][1], std::sin(2 * M_PI * x[1][0] / 365.2425), 1e-6);
    EXPECT_EQ(x[3][3], 1);
    EXPECT_TRUE(says(data, "months: the first day, and its place in the year: 'd'"));
    const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
    EXPECT_EQ(model.header().columns, data.header().columns);
    const CsvFile later("d,n\n1970-03,1\n1970-03-01,2\n");
    nn::TableRows rows(later.spec.path, model);
    ASSERT_TRUE(rows.next(1));
    EXPECT_EQ(rows.view().f32[0], 59);
    EXPECT_EQ(error_of(later.folder.path(), [&] { (void)rows.next(1); }),
              "data.csv:3:1: '1970-03-01': expected a month or a quarter, such as 2026-11 or "
              "2026Q4, as column 'd' had in training");
  }
}

TEST(Columns, TimesOfDayBecomeTheirPlaceInTheDay) {
  for (const char* noon : {"12:00", "12:00:00", "12:00 PM"}) {
    CsvFile file("t,n,y\n06:00,1,p\n" + std::string(noon) + ",2,q\n18:00,3,p\n,4,q\n");
    const nn::Dataset data = file.load();
    const nn::FeatureColumn& column = data.header().columns.at(0);
    EXPECT_EQ(column.date, nn::DateOrder::clock);
    EXPECT_EQ(column.inputs(), 4U);
    const auto x = values(data);
    EXPECT_EQ(x[1][0], .5);
    EXPECT_NEAR(x[0][1], 1, 1e-6);
    EXPECT_NEAR(x[1][2], -1, 1e-6);
    EXPECT_EQ(x[3][3], 1);
    EXPECT_TRUE(says(data, "times of day: the hour, and its place in the day: 't'"));
    EXPECT_EQ(nn::preprocessing_from_json(nn::preprocessing_json(data)).header().columns,
              data.header().columns);
  }
}

TEST(Columns, AWordAmongMonthsOrTimesLeavesThemTexts) {
  for (const char* dated : {"2020-0", "08:0", "2020Q"}) {
    CsvFile file(table(60, [&](int i) {
      return i == 7 ? std::string("soon") : dated + std::to_string(1 + i % 4);
    }));
    EXPECT_EQ(file.load().header().columns.at(0).categories.size(), 5U) << dated;
  }
}

TEST(Columns, MonthsSplitByTime) {
  std::string text = "month,n,y\n";
  for (int i = 0; i < 12; ++i)
    text += "2020-" + std::string(i < 9 ? "0" : "") + std::to_string(i + 1) + "," +
            std::to_string(i * 5 % 12) + (i % 2 == 0 ? ",p\n" : ",q\n");
  CsvFile file(text);
  file.spec.split = {.valid = 0.25, .test = 0.25, .time = "month"};
  EXPECT_EQ(list(file.load().part(nn::Part::test)), (std::vector<std::uint32_t>{9, 10, 11}));
}

TEST(Columns, DatesAreReadInTheOrderThatFitsAllRows) {
  const auto order = [](const std::string& text) {
    return CsvFile(text).load().header().columns.at(0).date;
  };
  EXPECT_EQ(order("d,n,y\n01/02/2020,1,p\n01/13/2020,2,q\n"), nn::DateOrder::month_first);
  EXPECT_EQ(order("d,n,y\n01/02/2020,1,p\n13/01/2020,2,q\n"), nn::DateOrder::day_first);
  EXPECT_EQ(order("d,n,y\n01/02/2020,1,p\n02/03/2020,2,q\n"), nn::DateOrder::month_first);
  EXPECT_EQ(order("d,n,y\n01.02.2020,1,p\n02.03.2020,2,q\n"), nn::DateOrder::day_first);
  EXPECT_EQ(order("d,n,y\n2020-30-02,1,p\nx,2,q\n2020-01-02,2,q\n"), nn::DateOrder::none);
}

TEST(Columns, KnowsTheSpellingsOfNothing) {
  const nn::Dataset data =
      CsvFile("a,y\n1,p\nNA,q\n#N/A,p\nn/a,q\nNaN,p\n?,q\n.,p\nnull,q\n-,p\nNone,q\n,p\n3,q\n")
          .load();
  const auto x = values(data);
  ASSERT_EQ(data.cols(), 2U);
  for (std::size_t r = 0; r < x.size(); ++r)
    EXPECT_EQ(x[r][1], r == 0 || r + 1 == x.size() ? 0 : 1) << r;
}

TEST(Columns, NoneIsAValueAmongTexts) {
  const nn::Dataset data = CsvFile("a,y\nred,p\nnone,q\nred,p\nnone,q\n,p\n").load();
  EXPECT_EQ(data.header().columns.at(0).categories, (Words{"none", "red"}));
}

TEST(Columns, NoneIsMissingAmongNumbersToLearn) {
  const nn::Dataset kinds = CsvFile("a,y\n1,0\n2,None\n3,1\n4,-\n5,0\n6,1\n").load();
  EXPECT_EQ(kinds.header().class_names, (Words{"0", "1"}));
  EXPECT_EQ(values(kinds), (std::vector<std::vector<float>>{{1}, {3}, {5}, {6}}));
  EXPECT_TRUE(says(kinds, "2 rows left out: no value of 'y'"));
  const nn::Dataset numbers = CsvFile("a,y\n1,$0.25\n2,-\n3,$1.5\n4,$2.75\n").load();
  EXPECT_EQ(numbers.header().task, nn::LearningTask::regression);
  EXPECT_EQ(numbers.rows(), 3U);
  CsvFile asked("a,y\n1,0\n2,None\n3,1\n4,None\n5,0\n6,1\n");
  const nn::Dataset guessed = asked.load();
  asked.spec.task = guessed.header().task;
  EXPECT_EQ(values(asked.load()), values(guessed)) << "what was judged may be written down";
  asked.spec.classes = {"0", "None"};
  EXPECT_EQ(asked.load().header().class_names, (Words{"0", "None"})) << "where it is named";
  CsvFile first("a,y\n1,0\n2,None\n3,1\n4,red\n");
  first.spec.rows = 3;
  EXPECT_EQ(first.load().header().class_names, (Words{"0", "1", "None"}))
      << "the row that would be third then has a text";
  EXPECT_EQ(CsvFile("a,y\n1,red\n2,None\n3,red\n4,None\n").load().header().class_names,
            (Words{"None", "red"}));
}

TEST(Columns, ReadsDecimalCommas) {
  const nn::Dataset data = CsvFile("a;b;y\n1,5;-2,25e1;p\n2;3,0;q\n").load();
  EXPECT_EQ(values(data), (std::vector<std::vector<float>>{{1.5, -22.5}, {2, 3}}));
  EXPECT_TRUE(says(data, "numbers have a decimal comma"));
  const nn::Dataset target = CsvFile("a;y\n1;0,25\n2;0,5\n3;1,75\n").load();
  EXPECT_EQ(target.header().task, nn::LearningTask::regression);
}

TEST(Columns, SaysHowTheDatesThatSplitAreRead) {
  CsvFile file("d,n,y\n01/02/2020,1,p\n02/03/2020,2,q\n03/04/2020,3,p\n04/05/2020,4,q\n");
  file.spec.split = {.valid = 0, .test = 0.25, .time = "d"};
  EXPECT_TRUE(says(
      file.load(),
      "left out, the split goes by it (`keep` makes it an input): 'd' (month first, a guess)"));
}

TEST(Columns, SaysWhichClassesNobodyLearns) {
  CsvFile file("t,n,y\n1,1,p\n2,2,p\n3,3,q\n4,4,q\n5,5,r\n6,6,r\n7,7,r\n8,8,s\n");
  file.spec.split = {.valid = 0.25, .test = 0.25, .time = "t"};
  EXPECT_TRUE(
      says(file.load(),
           "no row to train on: 1 class: 'r' (2 of the validation part, 1 of the test part)"));
}

TEST(Columns, SaysWhatATestFileSharesWithTheFirst) {
  CsvFile file("t,n,y\n1,1,p\n2,2,q\n2,3,p\n3,4,q\n");
  file.spec.more = file.folder / "test.csv";
  nn_test::write_file(file.spec.more, "t,n,y\n2,5,p\n9,6,q\n");
  file.spec.split = {.valid = 0, .test = 0, .group = "t"};
  EXPECT_TRUE(
      says(file.load(), "1 of the 2 rows of the test file are of groups of the first file"));
  file.spec.split = {.valid = 0, .test = 0, .time = "t"};
  EXPECT_TRUE(
      says(file.load(), "1 of the 2 rows of the test file are earlier than the first file's last"));
  nn_test::write_file(file.spec.more, "t,n,y\n1,1,p\n2,2,q\n2,3,p\n3,4,q\n");
  EXPECT_EQ(nn_test::error_of(file.folder.path(), [&] { (void)file.load(); }),
            "test.csv: this is the same file as data.csv, expected other rows to test on");
}

TEST(Columns, LeavesOutRowsWithoutATarget) {
  const nn::Dataset data = CsvFile("a,y\n1,p\n2,\n3,q\n4,NA\n5,p\n").load();
  EXPECT_EQ(values(data), (std::vector<std::vector<float>>{{1}, {3}, {5}}));
  EXPECT_TRUE(says(data, "2 rows left out: no value of 'y'"));
}

std::string utf16(const std::string& text, bool big) {
  std::string out = big ? "\xfe\xff" : "\xff\xfe";
  for (const char c : text) out += big ? std::string{'\0', c} : std::string{c, '\0'};
  return out;
}

TEST(Columns, ReadsUtf16) {
  const std::string text = "a\tb\ty\n1\t2\tp\n3\t4\tq\n";
  const nn::Dataset plain = CsvFile(text).load();
  for (const bool big : {false, true}) {
    const nn::Dataset data = CsvFile(utf16(text, big)).load();
    EXPECT_EQ(values(data), values(plain));
    EXPECT_TRUE(says(data, "the text is UTF-16"));
  }
  EXPECT_TRUE(
      says(CsvFile("a,y\n1,h\xe4\n2,x\n").load(), "the text is not UTF-8: read as Windows-1252"));
}

TEST(Columns, SplitByAGroupKeepsItTogether) {
  CsvFile file(table(
      60, [](int i) { return "g" + std::to_string(i % 6); }, "patient"));
  file.spec.split = {.valid = 0.2, .test = 0.2, .group = "patient"};
  const nn::Dataset data = file.load();
  EXPECT_EQ(names(data), (Words{"n"}));
  for (const nn::Part part : {nn::Part::valid, nn::Part::test}) {
    ASSERT_EQ(data.part(part).size(), 10U);
    for (const std::uint32_t row : data.part(part)) EXPECT_EQ(row % 6, data.part(part)[0] % 6);
  }
}

TEST(Columns, SplitByTimeTrainsOnThePast) {
  CsvFile file(
      "when,n,y\n03.01.2020,1,p\n01.01.2020,2,q\n05.01.2020,3,p\n02.01.2020,4,q\n"
      "04.01.2020,5,p\n");
  file.spec.split = {.valid = 0.2, .test = 0.2, .time = "when"};
  const nn::Dataset data = file.load();
  EXPECT_EQ(names(data), (Words{"n"}));
  EXPECT_EQ(list(data.part(nn::Part::test)), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(list(data.part(nn::Part::valid)), (std::vector<std::uint32_t>{4}));
}

class WithTestFile : public CsvFile {
 public:
  WithTestFile(const std::string& train, const std::string& test) : CsvFile(train) {
    spec.more = folder / "test.csv";
    nn_test::write_file(spec.more, test);
  }
};

TEST(TestFile, IsTheTestPart) {
  WithTestFile file("a,t,y\n1,r,p\n2,b,q\n3,r,p\n4,b,q\n", "a,t,y\n7,g,q\n8,r,\n,b,p\n");
  file.spec.split.valid = 0.25;
  const nn::Dataset data = file.load();
  EXPECT_EQ(data.rows(), 6U);
  EXPECT_EQ(list(data.part(nn::Part::test)), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(data.part(nn::Part::valid).size(), 1U);
  EXPECT_EQ(data.header().columns.at(1).categories, (Words{"b", "g", "r"}));
  EXPECT_LT(data.header().columns.at(0).fill, 5) << "the mean is of training rows alone";
  EXPECT_NE(data.header().content,
            CsvFile("a,t,y\n1,r,p\n2,b,q\n3,r,p\n4,b,q\n").load().header().content);
}

TEST(TestFile, MayNumberItsRowsAnew) {
  std::string train = ",n,y\n", test = ",n,y\n";
  for (int i = 0; i < 40; ++i)
    (i < 30 ? train : test) +=
        std::to_string(i % 30) + "," + std::to_string(i * 7 % 40) + (i % 2 == 0 ? ",p\n" : ",q\n");
  WithTestFile file(train, test);
  EXPECT_EQ(names(file.load()), (Words{"n"}));
  EXPECT_TRUE(says(file.load(), "left out, only counts the rows (`keep` makes it an input): 'c1'"));
}

TEST(TestFile, MayHaveItsColumnsInAnotherOrder) {
  const std::string train = "a,t,y\n1,r,p\n3,g,q\n5,r,p\n";
  const nn::Dataset same = WithTestFile(train, "a,t,y\n7,g,q\n9,r,\n2,r,p\n").load();
  const nn::Dataset other = WithTestFile(train, "y,a,t\nq,7,g\n,9,r\np,2,r\n").load();
  EXPECT_EQ(values(other), values(same));
  EXPECT_EQ(nn_test::list(other.labels()), nn_test::list(same.labels()));
  EXPECT_TRUE(says(other, "1 row left out: no value of 'y'"));
}

TEST(TestFile, MustHaveTheSameColumns) {
  const auto error = [](const std::string& test) {
    WithTestFile file("a,b,y\n1,2,p\n3,4,q\n", test);
    return nn_test::error_of(file.folder.path(), [&] { (void)file.load(); });
  };
  EXPECT_EQ(error("a,c,y\n1,2,p\n"),
            "test.csv:1:1: no column 'b', expected the columns of the training table");
  EXPECT_EQ(error("a,y\n1,p\n"), "test.csv:1:1: 2 columns, expected 3 as the training table has");
  EXPECT_EQ(
      error("a,b\n1,2\n"),
      "test.csv:1:1: 2 columns, expected 3 as the training table has; the test part needs the "
      "target, `trellis predict` answers rows without it");
  EXPECT_EQ(error("a,b,y\n1,2\n"), "test.csv:2:1: 2 fields in this line, expected 3 as in line 1");
  EXPECT_EQ(error("a,b,y\n"), "test.csv: no rows of data");
}

}  // namespace
