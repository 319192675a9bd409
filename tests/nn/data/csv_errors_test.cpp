// Every complaint of the CSV loader, word for word.

#include <gtest/gtest.h>

#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;

struct BadCsv {
  const char* name;
  std::string text;
  const char* message;
  void (*change)(nn::DataSpec&) = [](nn::DataSpec&) {};
};

class BadCsvs : public testing::TestWithParam<BadCsv> {};

TEST_P(BadCsvs, AreRefusedInOneLine) {
  CsvFile file(GetParam().text);
  GetParam().change(file.spec);
  EXPECT_EQ(nn_test::error_of(file.folder.path(), [&] { (void)file.load(); }), GetParam().message);
}

std::string numbered(int rows, const char* last) {
  std::string text = "a,y\n";
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + "," + (i % 2 == 0 ? "p" : "q") + "\n";
  return text + last;
}

std::string priced(int rows, const char* last) {
  std::string text = "a,y\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i % 7) + "," + std::to_string(100 + i * i) + ".5\n";
  return text + "1," + last + "\n";
}

/// Every fifth of 100 numbers is a word.
std::string mixed(const std::string& word) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 100; ++i)
    text += (i % 5 == 4 ? word : std::to_string(i * 7 % 90) + ".5") + "," +
            std::to_string(i * 3 % 40) + (i % 2 == 0 ? ",p\n" : ",q\n");
  return text;
}

std::string wide() {
  std::string text;
  for (int i = 0; i < 70000; ++i) text += "1,";
  return text + "p\n";
}

std::string many_classes() {
  std::string text = "a,y\n";
  for (int i = 0; i < 10001; ++i) text += "1,w" + std::to_string(i) + "\n";
  return text;
}

const std::string kGood = "a,b,kind\n1,2,p\n3,4,q\n";
const std::string kThree = "a,b,kind\n1,2,cat\n3,4,dog\n5,6,owl\n7,8,cat\n";

INSTANTIATE_TEST_SUITE_P(
    Csv, BadCsvs,
    testing::Values(
        BadCsv{"empty", "", "data.csv: the file is empty"},
        BadCsv{"blank", "\n \n\r\n", "data.csv: the file is empty"},
        BadCsv{"all_left_out", "Title\n \nFooter\n", "data.csv: `skip` leaves nothing of the file",
               [](nn::DataSpec& s) {
                 s.skip = {.lines = 1, .comment = {}, .after_header = 1, .footer = 1};
               }},
        BadCsv{"names_only", "a,b,y\n", "data.csv: no rows of data",
               [](nn::DataSpec& s) { s.header = nn::HeaderRow::yes; }},
        BadCsv{"one_column", "y\np\nq\np\n",
               "data.csv: there is no column to learn from besides the target: no delimiter cuts "
               "the lines "
               "into equally many columns, expected commas, semicolons, tabs, bars or blanks"},
        BadCsv{"short_line", "a,b,y\n1,2,p\n3,q\n",
               "data.csv:3:1: 2 fields in this line, expected 3 as in line 1"},
        BadCsv{"long_line", "1,2,p\n3,4,q\n\n5,6,p,7\n",
               "data.csv:4:7: 4 fields in this line, expected 3 as in line 1"},
        BadCsv{"open_quote", "a,y\n1,p\n2,\"q\n3,p\n", "data.csv:3:3: this quote is never closed"},
        BadCsv{
            "text_after_quote", "a,y\n\"1\"2,p\n",
            "data.csv:2:4: '2' after a closing quote, expected ',' or the end of the line; a quote "
            "within quotes is written twice, \"\""},
        BadCsv{"zero_byte", std::string("a,y\n1,p\n2,\0q\n", 13),
               "data.csv:3:3: a zero byte: this is not text in UTF-8, UTF-16 or Windows-1252"},
        BadCsv{"slip_of_the_pen", numbered(20, "l7,p\n"),
               "data.csv:22:1: 'l7': expected a number, as in 20 other rows of column 'a'; in "
               "data: `categories: [a]` treats the column as categories, `ignore: [a]` drops it, "
               "`missing: [l7]` if this text marks a missing value"},
        BadCsv{"infinite", numbered(20, "inf,p\n"),
               "data.csv:22:1: 'inf': expected a number that fits into 32 bits, as in 20 other "
               "rows of column 'a'; if it marks a missing value, list it in data.missing"},
        BadCsv{"too_large", numbered(20, "1e39,p\n"),
               "data.csv:22:1: '1e39': expected a number that fits into 32 bits, as in 20 other "
               "rows of column 'a'; if it marks a missing value, list it in data.missing"},
        BadCsv{"words_among_numbers", mixed("unknown"),
               "data.csv:6:1: 'unknown': expected a number, as in 80 other rows of column 'a'; in "
               "data: `missing: [unknown]` if this text marks a missing value, `keep` to treat the "
               "column as categories"},
        BadCsv{"infinities", mixed("inf"),
               "data.csv:6:1: 'inf': expected a number, as in 80 other rows of column 'a'; in "
               "data: `missing: [inf]` if this text marks a missing value, `keep` to treat the "
               "column as categories"},
        BadCsv{"decimal_comma", "a;b;y\n1.5;2;p\n2,5;3;q\n",
               "data.csv:3:1: '2,5': expected a decimal point, not a comma"},
        BadCsv{"missing_target", "a,y\n1,\n2,NA\n",
               "data.csv: the target 'y' is missing in every row, expected another column as "
               "`target`"},
        BadCsv{"text_target", "a,y\n1,2\n2,x\n",
               "data.csv:3:3: the target is 'x', expected a number, because the task is regression "
               "(set by `task`, or implied by `metric` or `loss`)",
               [](nn::DataSpec& s) { s.task = nn::LearningTask::regression; }},
        BadCsv{
            "two_targets_of_text", "a,y,z\n1,2,3\n2,3,x\n",
            "data.csv:3:5: the target is 'x', expected a number, because there are several targets",
            [](nn::DataSpec& s) {
              s.targets = {"y", "z"};
            }},
        BadCsv{"target_twice", "a,y,z\n1,2,3\n2,3,4\n", "data.csv: target: '3' is named twice",
               [](nn::DataSpec& s) {
                 s.targets = {"z", "3"};
               }},
        BadCsv{"classes_of_two_targets", "a,y,z\n1,2,3\n2,3,4\n",
               "data.csv: task: classification has one column of classes, but there are 2 targets",
               [](nn::DataSpec& s) {
                 s.targets = {"y", "z"};
                 s.task = nn::LearningTask::classification;
               }},
        BadCsv{"ignored_of_two_targets", "a,y,z\n1,2,3\n2,3,4\n",
               "data.csv: ignore: 'y' is a target",
               [](nn::DataSpec& s) {
                 s.targets = {"y", "z"};
                 s.ignore = {"y"};
               }},
        BadCsv{"utf16_cut",
               std::string("\xff\xfe"
                           "a\0,\0y\0\n\0"
                           "1\0,\0"
                           "2",
                           15),
               "data.csv: the file ends within a character of UTF-16, expected two bytes for each"},
        BadCsv{"slip_in_the_target", priced(40, "n.a."),
               "data.csv:42:3: 'n.a.': expected a number, as in 40 other rows of the target (task: "
               "classification takes it as a class)"},
        BadCsv{"one_class", "a,y\n1,p\n2,p\n",
               "data.csv: the target 'y' has the same value in every row"},
        BadCsv{"too_many_classes", many_classes(),
               "data.csv: the target 'y' has 10001 classes, expected at most 10000"},
        BadCsv{"target_misspelt", kGood,
               "data.csv: target: there is no column 'knid', did you "
               "mean 'kind'?",
               [](nn::DataSpec& s) { s.targets = {"knid"}; }},
        BadCsv{"target_unknown", kGood,
               "data.csv: target: there is no column 'price per square metre', expected one "
               "of 'a', 'b', 'kind' or a number from 1 to 3",
               [](nn::DataSpec& s) { s.targets = {"price per square metre"}; }},
        BadCsv{
            "target_cut_short", "a,part weight [g],y\n1,2,p\n3,4,q\n",
            "data.csv: target: there is no column 'Part_weight', did you mean 'part weight [g]'?",
            [](nn::DataSpec& s) { s.targets = {"Part_weight"}; }},
        BadCsv{"target_of_many", "a,b,c,d,e,f,g,h,i,j,k,y\n1,2,3,4,5,6,7,8,9,0,1,p\n",
               "data.csv: target: there is no column 'price', expected one of 'a', 'b', 'c', 'd', "
               "'e', 'f', 'g', 'h', 'i', 'j' and 2 more or a number from 1 to 12",
               [](nn::DataSpec& s) { s.targets = {"price"}; }},
        BadCsv{"target_without_names", "1,2,p\n3,4,q\n",
               "data.csv: target: there is no column 'digit': the first line does not name the "
               "columns (`header: true` if it does); expected a number from 1 to 3",
               [](nn::DataSpec& s) { s.targets = {"digit"}; }},
        BadCsv{"target_number", kGood,
               "data.csv: target: there is no column 4, the table has 3 columns",
               [](nn::DataSpec& s) { s.targets = {"4"}; }},
        BadCsv{"ignored_target", kGood, "data.csv: ignore: 'kind' is the target",
               [](nn::DataSpec& s) { s.ignore = {"kind"}; }},
        BadCsv{"ignored_unknown", kGood,
               "data.csv: ignore: there is no column 'kin', did you mean 'kind'?",
               [](nn::DataSpec& s) { s.ignore = {"kin"}; }},
        BadCsv{"all_ignored", kGood,
               "data.csv: there is no column to learn from besides the target: left out, as "
               "`ignore` says: "
               "'a', 'b'",
               [](nn::DataSpec& s) {
                 s.ignore = {"a", "b"};
               }},
        BadCsv{"keep_and_ignore", kGood, "data.csv: keep: 'a' is in `ignore`, too",
               [](nn::DataSpec& s) {
                 s.ignore = {"1"};
                 s.keep = {"a"};
               }},
        BadCsv{"category_and_ignore", kGood, "data.csv: categories: '1' is in `ignore`, too",
               [](nn::DataSpec& s) {
                 s.ignore = {"a"};
                 s.categories = {"1"};
               }},
        BadCsv{"kept_target", kGood, "data.csv: keep: '-1' is the target",
               [](nn::DataSpec& s) { s.keep = {"-1"}; }},
        BadCsv{"two_orders", kGood, "data.csv: split has group and time; use one of them",
               [](nn::DataSpec& s) {
                 s.split.group = "a";
                 s.split.time = "b";
               }},
        BadCsv{"group_misspelt", "patient,a,y\n1,2,p\n3,4,q\n",
               "data.csv: split.group: there is no column 'patents', did you mean 'patient'?",
               [](nn::DataSpec& s) { s.split.group = "patents"; }},
        BadCsv{"missing_group", "g,a,y\nu,2,p\n,4,q\n",
               "data.csv:3:1: a missing value, but the split goes by this column",
               [](nn::DataSpec& s) { s.split.group = "g"; }},
        BadCsv{"no_time", "t,a,y\n2026-01-02,2,p\nsoon,4,q\n",
               "data.csv:2:1: '2026-01-02': expected a number or a date, the split goes by it",
               [](nn::DataSpec& s) { s.split.time = "t"; }},
        BadCsv{"class_misspelt", kThree,
               "data.csv: classes: no row has the class 'cats'; did you mean 'cat'?",
               [](nn::DataSpec& s) {
                 s.classes = {"cats", "dog"};
               }},
        BadCsv{"class_unknown", kThree,
               "data.csv: classes: no row has the class 'tree'; there are 'cat', 'dog', 'owl'",
               [](nn::DataSpec& s) {
                 s.classes = {"tree", "dog"};
               }},
        BadCsv{"class_twice", kThree, "data.csv: classes: 'cat' is named twice",
               [](nn::DataSpec& s) {
                 s.classes = {"cat", "cat"};
               }},
        BadCsv{"one_class_left", kThree, "data.csv: classes: one class, expected two or more",
               [](nn::DataSpec& s) { s.classes = {"cat"}; }},
        BadCsv{"classes_of_numbers", "a,y\n1,2\n2,3\n",
               "data.csv: classes: task is regression, which has none",
               [](nn::DataSpec& s) {
                 s.classes = {"2", "3"};
                 s.task = nn::LearningTask::regression;
               }},
        BadCsv{"wide", wide(), "data.csv:1:1: 70001 columns, expected at most 65536"},
        BadCsv{
            "not_bytes", "1,2.5,p\n3,256,q\n",
            "data.csv: scale: unit divides bytes by 255, but the data holds 256.000000; expected "
            "values from 0 to 255",
            [](nn::DataSpec& s) { s.scale = nn::Scale::unit; }},
        BadCsv{
            "split_all", kGood,
            "data.csv: split: of 2 rows, 1 for validation and 1 for the test leave none to train "
            "on",
            [](nn::DataSpec& s) { s.split = {.valid = 0.5, .test = 0.5, .seed = 0}; }},
        BadCsv{"split_none", kGood, "data.csv: split.test: 0.1 of 2 rows is less than one row",
               [](nn::DataSpec& s) { s.split.test = 0.1; }},
        BadCsv{"split_share", kGood,
               "data.csv: split.valid is 1.5, expected at least 0 and less than 1",
               [](nn::DataSpec& s) { s.split.valid = 1.5; }}),
    [](const auto& one_test) { return one_test.param.name; });

TEST(DataFiles, MustBeFilesThatCanBeRead) {
  const support::TempFolder folder;
  const auto message = [&](const std::string& path, nn::LoadLimits limits = {}) {
    return nn_test::error_of(folder.path(), [&] {
      (void)nn::load_dataset({.path = path, .split = {.valid = 0, .test = 0, .seed = 0}}, limits);
    });
  };
  EXPECT_EQ(message(folder / "none.csv"), "none.csv: cannot open: No such file or directory");
  EXPECT_EQ(message(folder.path()), "FOLDER: this is a folder, expected a file");
  EXPECT_EQ(message("/dev/null"), "/dev/null: this is not a regular file");
  nn_test::write_file(folder / "x.csv", kGood);
  EXPECT_EQ(message(folder / "x.csv", {.file_bytes = 10}),
            "x.csv: the file has 21 bytes, expected at most 10 bytes");
  EXPECT_EQ(message(folder / "x.csv", {.dataset_bytes = 10}),
            "x.csv: takes 320 bytes in memory, expected at most 10 bytes");
}

TEST(DataFiles, DamagedGzipIsRefused) {
  const std::string packed = nn_test::gzip(kGood);
  CsvFile file("");
  const auto message = [&](const std::string& bytes, nn::LoadLimits limits = {}) {
    nn_test::write_file(file.spec.path, bytes);
    return nn_test::error_of(file.folder.path(),
                             [&] { (void)nn::load_dataset(file.spec, limits); });
  };
  EXPECT_EQ(message(packed), "no error");
  for (std::size_t length = 2; length < packed.size(); ++length) {
    EXPECT_EQ(message(packed.substr(0, length)),
              "data.csv: the gzip data ends too early: the file was cut off")
        << length;
  }
  std::string flipped = packed;
  flipped[packed.size() - 7] ^= 1;
  EXPECT_EQ(message(flipped), "data.csv: the gzip data is damaged (incorrect data check)");
  EXPECT_EQ(message(packed + "rest"),
            "data.csv: the gzip data is damaged (incorrect header check)");
  const std::string bomb = nn_test::gzip(std::string(std::size_t{3} << 20, '1'));
  EXPECT_LT(bomb.size(), 5000U);
  EXPECT_EQ(message(bomb, {.inflated_bytes = std::size_t{2} << 20}),
            "data.csv: unpacks to more than 2 MiB, the most that is read");
}

TEST(DataFiles, AreLookedForBesideTheStudyThenInTrellisData) {
  const support::TempFolder study;
  const support::TempFolder shelf;
  nn_test::write_file(shelf / "d.csv", kGood);
  ::setenv("TRELLIS_DATA", shelf.path().c_str(), 1);
  EXPECT_EQ(nn::locate_data("d.csv", study.path().string()), (shelf / "d.csv").string());
  nn_test::write_file(study / "d.csv", kGood);
  EXPECT_EQ(nn::locate_data("d.csv", study.path().string()), (study / "d.csv").string());
  EXPECT_EQ(nn::locate_data((shelf / "d.csv").string(), "/"), (shelf / "d.csv").string());
  const auto message = [&](const std::string& path) {
    try {
      (void)nn::locate_data(path, "/study");
    } catch (const nn::DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      message("e.csv"),
      "e.csv: no such file or folder: looked for /study/e.csv, " + (shelf / "e.csv").string() +
          " (TRELLIS_DATA) and /usr/share/datasets/e.csv; set TRELLIS_DATA to the folder that "
          "holds your data sets, or write the full path");
  ::unsetenv("TRELLIS_DATA");
  EXPECT_EQ(message("/none/Fashion_MNIST"),
            "/none/Fashion_MNIST: no such file or folder; Debian's package dataset-fashion-mnist "
            "puts it into /usr/share/datasets/fashion-mnist");
}

}  // namespace
