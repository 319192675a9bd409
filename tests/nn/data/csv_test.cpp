// What comes out of good CSV files.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::list;
using nn_test::values;
using Rows = std::vector<std::vector<float>>;
using Words = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;

TEST(Csv, ReadsNamesNumbersAndTextTargets) {
  const CsvFile file("height,weight,kind\n1.5,2,dog\n2.5,-3e1,cat\n0,+4,dog\n1,1,cat\n");
  const nn::Dataset data = file.load();
  EXPECT_EQ(values(data), (Rows{{1.5, 2}, {2.5, -30}, {0, 4}, {1, 1}}));
  EXPECT_EQ(data.header().class_names, (Words{"cat", "dog"}));
  EXPECT_EQ(list(data.labels()), (Labels{1, 0, 1, 0}));
  EXPECT_EQ(data.header().columns.at(0).name, "height");
  EXPECT_EQ(data.header().targets.at(0).name, "kind");
  EXPECT_EQ(data.header().input, nn::Shape::features(2));
  EXPECT_EQ(data.header().storage, nn::Storage::f32);
  EXPECT_EQ(data.outputs(), 2U);
}

TEST(Csv, UnderstandsQuotesLineEndsMarksAndBlankLines) {
  const char* const kPlain = "a,b,y\n1,x y,p\n2,\"p, q\",r\n3,\"say \"\"hi\"\"\",p\n4,x y,r\n";
  const nn::Dataset plain = CsvFile(kPlain).load();
  EXPECT_EQ(plain.header().columns.at(1).categories, (Words{"p, q", "say \"hi\"", "x y"}));
  EXPECT_EQ(values(plain), (Rows{{1, 0, 0, 1}, {2, 1, 0, 0}, {3, 0, 1, 0}, {4, 0, 0, 1}}));

  std::string crlf;
  for (const char* c = kPlain; *c != '\0'; ++c) {
    if (*c == '\n') crlf += '\r';
    crlf += *c;
  }
  std::string cr = kPlain;
  std::replace(cr.begin(), cr.end(), '\n', '\r');
  std::string spaced =
      "\xef\xbb\xbf\n  \na, b ,y\n\n 1 ,x y,p\n2, \"p, q\" ,r\n3,\"say \"\"hi\"\"\",p\n"
      "4,x y,r";
  for (const std::string& text : {crlf, cr, spaced}) {
    const nn::Dataset data = CsvFile(text).load();
    EXPECT_EQ(values(data), values(plain)) << text;
    EXPECT_EQ(data.header().columns, plain.header().columns) << text;
    EXPECT_EQ(list(data.labels()), list(plain.labels())) << text;
  }
}

TEST(Csv, LeavesOnlyTheRowsOfTheClassesAskedFor) {
  CsvFile file("a,b,y\n1,,cat\n2,5,dog\n3,9,owl\n4,7,cat\n5,3,owl\n");
  file.spec.classes = {"owl", "cat"};
  const nn::Dataset data = file.load();
  EXPECT_EQ(data.header().class_names, (Words{"cat", "owl"}));
  EXPECT_EQ(list(data.labels()), (Labels{0, 1, 0, 1}));
  // A missing number is the mean over the rows that are left, and is marked.
  EXPECT_EQ(values(data), (Rows{{1, 19.0F / 3, 1}, {3, 9, 0}, {4, 7, 0}, {5, 3, 0}}));
}

TEST(Csv, QuotesMayHoldLineEnds) {
  const nn::Dataset data = CsvFile("a,y\n\"two\nlines\",p\nb,q\n\"two\nlines\",p\nb,q\n").load();
  EXPECT_EQ(data.header().columns.at(0).categories, (Words{"b", "two\nlines"}));
}

struct DelimiterCase {
  const char* name;
  const char* text;
};
class CsvDelimiters : public testing::TestWithParam<DelimiterCase> {};

TEST_P(CsvDelimiters, AreFound) {
  const nn::Dataset data = CsvFile(GetParam().text).load();
  EXPECT_EQ(values(data), (Rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(list(data.labels()), (Labels{0, 1, 0, 1}));
}

INSTANTIATE_TEST_SUITE_P(
    Csv, CsvDelimiters,
    testing::Values(DelimiterCase{"comma", "1,2,a\n3,4,b\n5,6,a\n7,8,b\n"},
                    DelimiterCase{"semicolon", "1;2;a\n3;4;b\n5;6;a\n7;8;b\n"},
                    DelimiterCase{"tab", "1\t2\ta\n3\t4\tb\n5\t6\ta\n7\t8\tb\n"},
                    DelimiterCase{"bar", "1|2|a\n3|4|b\n5|6|a\n7|8|b\n"},
                    DelimiterCase{"comma_in_quotes",
                                  "1;2;\"a,1\"\n3;4;\"b,2\"\n5;6;\"a,1\"\n7;8;\"b,2\"\n"},
                    DelimiterCase{"no_last_line_end", "1,2,a\n3,4,b\n5,6,a\n7,8,b"}),
    [](const auto& one_test) { return one_test.param.name; });

TEST(Csv, KnowsALineOfNames) {
  struct Case {
    const char* text;
    const char* target;
    nn::HeaderRow header;
    bool names;
  };
  using enum nn::HeaderRow;
  const Case cases[] = {
      {"a,y\n1,p\n2,q\n", "", guess, true},         // numbers below a word
      {"1,p\n2,q\n3,p\n4,q\n", "", guess, false},   // a number in the first line
      {"r,p\nb,q\nr,p\nb,q\n", "", guess, false},   // texts that come again below
      {"a,y\nr,p\nb,q\nr,p\n", "", guess, true},    // texts that do not
      {"1,2,y\n1,2,p\n3,4,q\n", "y", guess, true},  // the target is named
      {"x,y\n1,p\n2,q\n3,x\n", "", no, false},      // said
      {"1,2\n3,p\n4,q\n", "", yes, true},           // said
  };
  for (const Case& c : cases) {
    CsvFile file(c.text);
    if (*c.target != 0) file.spec.targets = {c.target};
    file.spec.header = c.header;
    file.spec.task = nn::LearningTask::classification;
    const auto lines = static_cast<std::size_t>(std::count(c.text, c.text + strlen(c.text), '\n'));
    EXPECT_EQ(file.load().rows(), lines - (c.names ? 1 : 0)) << c.text;
  }
}

TEST(Csv, FindsTheTargetByNameAndByNumber) {
  for (const char* target : {"b", "2", "-2"}) {
    CsvFile file("a,b,c\n1,7,2\n3,8,4\n5,7,6\n9,8,9\n");
    file.spec.targets = {target};
    const nn::Dataset data = file.load();
    EXPECT_EQ(values(data), (Rows{{1, 2}, {3, 4}, {5, 6}, {9, 9}})) << target;
    EXPECT_EQ(data.header().class_names, (Words{"7", "8"})) << target;
  }
}

TEST(Csv, LeavesOutWhatIsToBeIgnored) {
  CsvFile file("id,a,b,y\n1,7,2,p\n2,8,4,q\n");
  file.spec.ignore = {"id", "3"};
  EXPECT_EQ(values(file.load()), (Rows{{7}, {8}}));
}

TEST(Csv, TakesTheFirstRowsOnly) {
  CsvFile file("a,y\n1,p\n2,q\n3,p\n4,what follows,is not even looked at\n");
  file.spec.rows = 3;
  EXPECT_EQ(values(file.load()), (Rows{{1}, {2}, {3}}));
}

TEST(Csv, TellsClassesFromNumbers) {
  const auto task_of = [](const std::string& text) { return CsvFile(text).load().header().task; };
  EXPECT_EQ(task_of("1,0\n2,1\n3,0\n4,1\n"), nn::LearningTask::classification);
  EXPECT_EQ(task_of("1,0.5\n2,1\n3,0\n4,1\n"), nn::LearningTask::regression);
  EXPECT_EQ(task_of("1,10\n2,20\n3,30\n4,40\n"), nn::LearningTask::regression);
  EXPECT_EQ(task_of("1,p\n2,q\n3,r\n4,s\n"), nn::LearningTask::classification);
  CsvFile file("1,10\n2,20\n3,30\n4,40\n");
  file.spec.task = nn::LearningTask::classification;
  EXPECT_EQ(file.load().header().class_names, (Words{"10", "20", "30", "40"}));
}

TEST(Csv, NumbersAreOneClassHoweverTheyAreWritten) {
  const nn::Dataset data = CsvFile("5,1\n6,10\n7,1.0\n8,2\n5,1e1\n6,02\n").load();
  EXPECT_EQ(data.header().class_names, (Words{"1", "2", "10"}));
  EXPECT_EQ(list(data.labels()), (Labels{0, 2, 0, 1, 2, 1}));
}

TEST(Csv, MissingNumbersBecomeTheTrainingMean) {
  CsvFile file("a,b,y\n1,NA,p\n,2,q\n3,4,p\n?,6,q\nnull,8,p\n8,NaN,q\n4,1,p\n4,1,q\n");
  file.spec.split.test = 0.5;
  const nn::Dataset data = file.load();
  const auto x = values(data);
  const Rows given{{1, NAN}, {NAN, 2}, {3, 4}, {NAN, 6}, {NAN, 8}, {8, NAN}, {4, 1}, {4, 1}};
  for (std::size_t c = 0; c < 2; ++c) {
    double sum = 0;
    int count = 0;
    for (const auto row : data.part(nn::Part::train)) {
      if (std::isnan(given[row][c])) continue;
      sum += given[row][c];
      ++count;
    }
    const auto mean = count == 0 ? 0.0F : static_cast<float>(sum / count);
    EXPECT_EQ(data.header().columns[c].fill, mean);
    for (std::size_t r = 0; r < given.size(); ++r) {
      const bool missing = std::isnan(given[r][c]);
      EXPECT_EQ(x[r][2 * c], missing ? mean : given[r][c]) << r << " " << c;
      EXPECT_EQ(x[r][2 * c + 1], missing ? 1 : 0) << r << " " << c;
    }
  }
}

TEST(Csv, TextsMayStandForNoValue) {
  CsvFile file("a,t,y\n1,u,p\n-999,v,q\n\"not asked\",-999,p\n4,u,q\n5,u,not asked\n6,v,q\n");
  file.spec.missing = {"-999", "not asked"};
  const nn::Dataset data = file.load();
  ASSERT_EQ(data.rows(), 5U) << "the row without a target is left out";
  EXPECT_EQ(data.header().class_names, (Words{"p", "q"}));
  EXPECT_EQ(data.header().columns[1].categories, (Words{"u", "v"}));
  const auto x = values(data);
  const Rows given{{1, 0, 1, 0}, {NAN, 1, 0, 1}, {NAN, 1, 0, 0}, {4, 0, 1, 0}, {6, 0, 0, 1}};
  for (std::size_t row = 0; row < given.size(); ++row)
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_EQ(x[row][c],
                std::isnan(given[row][c]) ? data.header().columns[0].fill : given[row][c])
          << row << " " << c;
}

TEST(Csv, TextsForNoValueAreComparedAsTheyRead) {
  CsvFile file("a,y\n1,p\nkein\xe4,q\n\"say \"\"no\"\"\",p\n4,q\n");
  file.spec.missing = {"kein\xc3\xa4", "say \"no\""};
  const nn::Dataset data = file.load();
  EXPECT_EQ(data.cols(), 2U) << "numbers, and where they are missing";
  EXPECT_EQ(values(data)[1][1], 1);
  EXPECT_EQ(values(data)[2][1], 1);
}

TEST(Csv, ANumberForNoValueMakesNoNames) {
  CsvFile file("-999,a b,p\n1,c,q\n2,a b,p\n3,c,q\n");
  file.spec.missing = {"-999"};
  EXPECT_EQ(file.load().rows(), 4U);
}

TEST(Csv, AFirstLineMayNameTheDelimiter) {
  const nn::Dataset data =
      CsvFile("\xef\xbb\xbfsep=|\r\na|b|y\r\n1,5|2;1|p\r\n2,5|3;2|q\r\n3,5|2;1|p\r\n").load();
  EXPECT_EQ(data.header().columns[0].name, "a");
  EXPECT_EQ(values(data)[1][0], 2.5F);
  const CsvFile open("sep=;\na;y\n1;2\n1;\"3\n");
  EXPECT_EQ(nn_test::error_of(open.folder.path(), [&] { (void)open.load(); }),
            "data.csv:4:3: this quote is never closed");
}

TEST(Csv, FewMissingNumbersAreNotMarked) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 200; ++i) {
    const std::string b = i == 3 ? "NA" : std::to_string(i * 7 % 90);
    text += std::to_string(i * 5 % 99) + "," + b + "," + (i % 2 == 0 ? "p" : "q") + "\n";
  }
  EXPECT_EQ(CsvFile(text).load().cols(), 2U);
}

TEST(Csv, TextsBecomeOneInputEachUpToFifty) {
  std::string fifty = "t,n,y\n";
  std::string more = fifty;
  for (int i = 0; i < 102; ++i) {
    const std::string rest =
        "," + std::to_string(i * 5 % 102) + "," + (i % 2 == 0 ? "p" : "q") + "\n";
    fifty += "w" + std::to_string(i % 50) + rest;
    more += "w" + std::to_string(i % 51) + rest;
  }
  const nn::Dataset wide = CsvFile(fifty).load();
  EXPECT_EQ(wide.cols(), 51U);
  EXPECT_EQ(wide.header().storage, nn::Storage::u8);
  for (const auto& row : values(wide)) {
    EXPECT_EQ(std::count(row.begin(), row.begin() + 50, 1.0F), 1);
    EXPECT_EQ(std::count(row.begin(), row.begin() + 50, 0.0F), 49);
  }
  const nn::Dataset hashed = CsvFile(more).load();
  EXPECT_EQ(hashed.cols(), 65U);
  EXPECT_EQ(hashed.header().storage, nn::Storage::u8);
  const auto rows = values(hashed);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(std::count(rows[r].begin(), rows[r].begin() + 64, 1.0F), 1);
    // The same text, the same input.
    const std::size_t same = (r + 51) % rows.size();
    EXPECT_TRUE(std::equal(rows[r].begin(), rows[r].begin() + 64, rows[same].begin()));
  }
}

TEST(Csv, AMissingTextHasAllItsInputsZero) {
  const nn::Dataset data = CsvFile("t,y\nr,p\n,q\nb,p\nNA,q\n").load();
  EXPECT_EQ(values(data), (Rows{{0, 1}, {0, 0}, {1, 0}, {0, 0}}));
}

TEST(Csv, SaysWhatItGuessed) {
  const nn::Dataset data = CsvFile("t,n,e,y\nr,1,,1\nb,,,2\nr,3,NA,1\nb,3,,2\n").load();
  EXPECT_EQ(
      data.header().notes,
      (Words{"the first line names the columns", "numbers: 'n'",
             "categories, one input for each: 't' (2)",
             "missing values, replaced by the mean over the training part and marked by one more "
             "input: 'n' (1)",
             "left out, no value: 'e'", "task: classification, guessed from the values of 'y'",
             "2 classes: '1' (2 rows), '2' (2)"}));
}

TEST(Csv, SaysWhereAccuracyTellsLittle) {
  const auto told = [](int rare, int rows, const std::string& more = "") {
    std::string text = "a,y\n";
    for (int i = 0; i < rows; ++i)
      text += std::to_string(i * 7 % 5) + (i < rare ? ",Yes\n" : ",No\n");
    Words lines;
    const nn::Dataset data = CsvFile(text + more).load();
    for (const std::string& note : data.header().notes) {
      if (note.find("accuracy") != std::string::npos || note.find("one row") != std::string::npos)
        lines.push_back(note);
    }
    return lines;
  };
  EXPECT_EQ(told(2, 40),
            (Words{"95% of the rows are 'No', 5% are 'Yes': accuracy says little there; "
                   "`class_weights: balanced` (of the loss) makes training count all classes "
                   "alike"}));
  EXPECT_EQ(told(4, 40), Words{});
  const Words single = told(20, 40, "1,Maybe\n");
  ASSERT_EQ(single.size(), 2U);
  EXPECT_EQ(single[1], "one row only, so either learnt or tested: 1 class ('Maybe')");
}

TEST(Csv, BytesStayBytes) {
  EXPECT_EQ(CsvFile("0,255,a\n3,4,b\n").load().header().storage, nn::Storage::u8);
  EXPECT_EQ(CsvFile("0,256,a\n3,4,b\n").load().header().storage, nn::Storage::f32);
  EXPECT_EQ(CsvFile("0,-1,a\n3,4,b\n").load().header().storage, nn::Storage::f32);
  EXPECT_EQ(CsvFile("0,0.5,a\n3,4,b\n").load().header().storage, nn::Storage::f32);
  EXPECT_EQ(CsvFile("a,b,y\n0,,a\n3,4,b\n").load().header().storage, nn::Storage::f32);
}

TEST(Csv, TextsThatAreNotUtf8AreTakenForWindows1252) {
  const nn::Dataset data = CsvFile(
                               "gr\xf6\xdf"
                               "e,y\n1,h\xe4\n2,h\xc3\xa4\n3,x\n")
                               .load();
  EXPECT_EQ(data.header().columns.at(0).name, "größe");
  EXPECT_EQ(data.header().class_names, (Words{"hä", "x"}));
  const nn::Dataset high =
      CsvFile("Preis (\x80),\x84von \x96 bis\x93,y\n1,2,Jos\xe9\x92s\n2,1,\x81\n").load();
  EXPECT_EQ(high.header().columns.at(0).name, "Preis (€)");
  EXPECT_EQ(high.header().columns.at(1).name, "„von – bis“");
  EXPECT_EQ(high.header().class_names, (Words{"José’s", "\u0081"}));
}

TEST(Csv, NoControlCharacterReachesAMessage) {
  const nn::Dataset data = CsvFile("a\x81,y\n1,p\n2,q\n").load();
  EXPECT_EQ(data.header().columns.at(0).name, "a\u0081");
  EXPECT_EQ(data.header().notes.at(2), "numbers: 'a\\u0081'");
  EXPECT_EQ(base::printable("\u009b2J \u00a0\u0080"), "\\u009b2J \u00a0\\u0080");
}

TEST(Csv, RegressionTargetsAreStandardisedOnTheTrainingPart) {
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + "," + std::to_string(1000.5 + i * i) + "\n";
  CsvFile file(text);
  file.spec.split = {.valid = 0.25, .test = 0.25, .seed = 3};
  const nn::Dataset data = file.load();
  ASSERT_EQ(data.header().task, nn::LearningTask::regression);
  const auto y = data.targets();
  double sum = 0;
  double squares = 0;
  for (const auto row : data.part(nn::Part::train)) {
    sum += y[row];
    squares += y[row] * y[row];
  }
  EXPECT_NEAR(sum / 20, 0, 1e-6);
  EXPECT_NEAR(squares / 20, 1, 1e-6);
  for (std::size_t i = 0; i < 40; ++i) {
    const nn::TargetColumn& target = data.header().targets.front();
    EXPECT_NEAR(y[i] * target.unit + target.shift, 1000.5 + i * i, 1e-3);
  }
  EXPECT_EQ(data.view(nn::Part::test).target_columns[0], data.header().targets.front());
}

TEST(Csv, SeveralTargetsAreNumbersEachInItsOwnUnit) {
  CsvFile file("cost,a,b,noise\n10,1,2,.5\n30,3,4,.25\n,5,6,1\n20,7,8,\n50,9,10,.75\n");
  file.spec.targets = {"noise", "cost"};
  file.spec.split = {.valid = 0, .test = 0};
  const nn::Dataset data = file.load();
  EXPECT_EQ(values(data), (Rows{{1, 2}, {3, 4}, {9, 10}}));
  EXPECT_EQ(data.header().task, nn::LearningTask::regression);
  EXPECT_EQ(data.outputs(), 2U);
  const auto& targets = data.header().targets;
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].name, "noise");
  EXPECT_EQ(targets[1].name, "cost");
  EXPECT_EQ(targets[0].shift, 0.5);
  EXPECT_EQ(targets[1].shift, 30);
  EXPECT_NEAR(targets[1].unit, std::sqrt(800.0 / 3), 1e-9);
  const double expected[] = {.5, 10, .25, 30, .75, 50};
  ASSERT_EQ(data.targets().size(), 6U);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(data.targets()[i] * targets[i % 2].unit + targets[i % 2].shift, expected[i], 1e-5);
  const auto& notes = data.header().notes;
  for (const char* note :
       {"task: regression, there are 2 targets", "2 rows left out: no value of 'noise' or 'cost'"})
    EXPECT_NE(std::ranges::find(notes, note), notes.end()) << note;
}

TEST(Csv, GzipIsTheSameAsPlain) {
  const std::string text = "a,b,y\n1,2,p\n3,4.5,q\n5,6,p\n7,8,q\n";
  const nn::Dataset plain = CsvFile(text).load();
  const auto half = text.size() / 2;
  const std::string members =
      nn_test::gzip(text.substr(0, half)) + nn_test::gzip(text.substr(half));
  for (const std::string& packed : {nn_test::gzip(text), members}) {
    const nn::Dataset data = CsvFile(packed, "named like nothing special").load();
    EXPECT_EQ(list(data.bytes()), list(plain.bytes()));
    nn::Dataset::Header header = data.header();
    EXPECT_NE(header.content, plain.header().content);
    header.content = plain.header().content;
    EXPECT_EQ(header, plain.header());
  }
}

TEST(Csv, ReadsBackWhatWasWritten) {
  const std::vector<std::string> words{"plain", "with, comma", "with \"quotes\"", "two\nlines",
                                       " x "};
  std::string text = "n,\"the \"\"name\"\"\",y\n";
  for (int i = 0; i < 200; ++i) {
    std::string word = words[static_cast<std::size_t>(i * 7 % 5)];
    for (std::size_t at = 0; (at = word.find('"', at)) != std::string::npos; at += 2) {
      word.insert(at, "\"");
    }
    char number[32];
    snprintf(number, sizeof number, "%.9g", (i - 100) * 1.7e-3 * i);
    text += std::string(number) + ",\"" + word + "\"," + (i % 3 == 0 ? "p" : "q") + "\r\n";
  }
  const nn::Dataset data = CsvFile(text).load();
  std::vector<std::string> sorted = words;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(data.header().columns.at(1).name, "the \"name\"");
  EXPECT_EQ(data.header().columns.at(1).categories, sorted);
  const auto x = values(data);
  for (int i = 0; i < 200; ++i) {
    const auto r = static_cast<std::size_t>(i);
    EXPECT_NEAR(x[r][0], (i - 100) * 1.7e-3 * i, 1e-6 * std::abs(x[r][0]));
    const auto hot = std::find(x[r].begin() + 1, x[r].end(), 1.0F) - x[r].begin() - 1;
    EXPECT_EQ(sorted[static_cast<std::size_t>(hot)], words[r * 7 % 5]);
  }
}

TEST(Csv, ReadsTheDigitsThatAreShipped) {
  nn::DataSpec spec{.path = DIGITS_FILE};
  const nn::Dataset data = nn::load_dataset(spec);
  EXPECT_EQ(data.rows(), 1797U);
  EXPECT_EQ(data.cols(), 64U);
  EXPECT_EQ(data.header().storage, nn::Storage::u8);
  EXPECT_EQ(data.classes(), 10U);
  EXPECT_EQ(data.part(nn::Part::test).size(), 359U);
  EXPECT_EQ(data.part(nn::Part::valid).size(), 359U);
  EXPECT_EQ(data.part(nn::Part::train).size(), 1079U);
}

}  // namespace
