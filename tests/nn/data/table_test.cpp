// Tables to predict: read in pieces of any size, matched with a model's columns, prepared as in
// training.

#include <gtest/gtest.h>

#include <random>

#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using Words = std::vector<std::string>;

/// Every field of a file, with its place.
std::vector<std::string> fields_of(const std::string& path, std::size_t piece) {
  nn::CsvStream stream(path, {}, piece);
  std::vector<std::string> out;
  std::vector<nn::CsvField> fields;
  while (stream.next(fields)) {
    for (const nn::CsvField& field : fields) {
      out.push_back(std::to_string(field.line) + ":" + std::to_string(field.column) + " " +
                    field.value());
    }
  }
  return out;
}

TEST(CsvStream, PiecesOfAnySizeGiveTheSameFields) {
  const support::TempFolder folder;
  const std::string path = folder / "table.csv";
  std::string text =
      "\xef\xbb\xbf"
      "a;b;c\r\n\r\n1;\"two\nlines\";3\n\"say \"\"hi\"\"\"; x ;\n\n";
  for (int i = 0; i < 30; ++i)
    text += std::to_string(i) + ";\"" + std::string(i, 'q') + "\";-1e3\r\n";
  text += "last;row;";
  for (const std::string& bytes : {text, nn_test::gzip(text)}) {
    nn_test::write_file(path, bytes);
    const auto whole = fields_of(path, 1U << 20);
    ASSERT_EQ(whole.size(), 3 * 34U);
    EXPECT_EQ(whole[4], "3:3 two\nlines");
    EXPECT_EQ(whole[6], "5:1 say \"hi\"");
    for (const std::size_t piece : {80U, 81U, 97U, 128U, 1000U})
      EXPECT_EQ(fields_of(path, piece), whole) << piece;
  }
}

TEST(CsvStream, SaysWhereAndWhat) {
  const support::TempFolder folder;
  const auto message = [&](std::string_view text) {
    nn_test::write_file(folder / "t.csv", text);
    return error_of(folder.path(), [&] { (void)fields_of(folder / "t.csv", 64); });
  };
  EXPECT_EQ(message("a,b\n1,2\n3,\"open\n4,5\n"), "t.csv:3:3: this quote is never closed");
  EXPECT_EQ(
      message("a,b\n1,\"2\"x\n"),
      "t.csv:2:6: 'x' after a closing quote, expected ',' or the end of the line; a quote within "
      "quotes is written twice, \"\"");
  EXPECT_EQ(message(std::string_view("a,b\n1,2\n3,\0\n", 12)),
            "t.csv:3:3: a zero byte: this is not text in UTF-8, UTF-16 or Windows-1252");
  std::string broken = nn_test::gzip("a,b\n1,2\n3,4\n5,6\n");
  broken.resize(broken.size() - 9);
  EXPECT_EQ(message(broken), "t.csv: the file is damaged gzip data: unexpected end of file");
  EXPECT_EQ(error_of(folder.path(), [&] { nn::CsvStream(folder / "none.csv"); }),
            "none.csv: cannot be read: No such file or directory");
  EXPECT_EQ(error_of(folder.path(), [&] { nn::CsvStream stream(folder.path()); }),
            "FOLDER: this is a folder, expected a CSV file");
}

/// A model of a small table, and tables to show it.
class Fitting : public testing::Test {
 protected:
  static nn::Dataset model_of(const nn::Dataset& data) {
    return nn::preprocessing_from_json(nn::preprocessing_json(data));
  }
  std::string table(std::string_view text) {
    nn_test::write_file(folder / "t.csv", text);
    return folder / "t.csv";
  }
  std::string message(const nn::Dataset& model, std::string_view text, const Words& keep = {}) {
    return error_of(folder.path(), [&] {
      nn::TableRows rows(table(text), model, keep);
      while (rows.next(100)) {
      }
    });
  }

  support::TempFolder folder;
  const nn::Dataset named =
      model_of(CsvFile("age,colour,size,kind\n30,red,1,a\n40,blue,2,b\n50,red,,a\n").load());
  const nn::Dataset numbered = model_of(CsvFile("1,2,0\n3,4,1\n5,6,0\n7,8,1\n").load());
};

TEST_F(Fitting, FindsColumnsByNameInAnyOrder) {
  nn::TableRows rows(table("id,size,kind,colour,age\nx,3,b,red,60\ny,,a,green,\n"), named, {"id"});
  EXPECT_TRUE(rows.fit().header);
  EXPECT_EQ(rows.fit().unused, Words{"id"});
  ASSERT_TRUE(rows.next(10));
  const nn::DataView view = rows.view();
  ASSERT_EQ(rows.rows(), 2U);
  EXPECT_EQ(std::vector<float>(view.f32, view.f32 + 10),
            (std::vector<float>{60, 0, 1, 3, 0, 40, 0, 0, 1.5, 1}));
  EXPECT_EQ(std::vector<std::int32_t>(view.labels, view.labels + 2),
            (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(rows.kept(1), Words{"y"});
  EXPECT_FALSE(rows.next(10));
  EXPECT_EQ(rows.notes(),
            (Words{"column 'age': 1 missing value taken as in training",
                   "column 'colour': 1 value that training never saw, taken as missing",
                   "column 'size': 1 missing value taken as in training",
                   "the model does not look at 'id'"}));
}

TEST_F(Fitting, TakesWholeNumbersWithAFractionForTheSameNames) {
  CsvFile file("code,n,y\n007,1,p\n7,2,q\n12.0,3,p\n");
  file.spec.categories = {"code"};
  const nn::Dataset model = model_of(file.load());
  nn::TableRows rows(table("code,n\n7.0,1\n12,2\n07,3\n"), model);
  ASSERT_TRUE(rows.next(10));
  EXPECT_EQ(std::vector<float>(rows.view().f32, rows.view().f32 + 12),
            (std::vector<float>{0, 0, 1, 1, 0, 1, 0, 2, 0, 0, 0, 3}));
  EXPECT_EQ(rows.notes(),
            Words{"column 'code': 1 value that training never saw, taken as missing"});
}

TEST_F(Fitting, TakesColumnsByPlaceWhereTheModelKnowsNoNames) {
  for (const char* text : {"1,2,1\n3,4,0\n", "1,2\n3,4\n", "x,y\n1,2\n3,4\n"}) {
    nn::TableRows rows(table(text), numbered);
    ASSERT_TRUE(rows.next(10)) << text;
    EXPECT_EQ(rows.rows(), 2U) << text;
    EXPECT_EQ(std::vector<float>(rows.view().f32, rows.view().f32 + 4),
              (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(rows.fit().targets.size(), std::string_view(text) == "1,2,1\n3,4,0\n" ? 1U : 0U);
  }
  CsvFile first("0,1,2\n1,3,4\n0,5,6\n1,7,8\n");
  first.spec.targets = {"1"};
  const nn::Dataset model = model_of(first.load());
  nn::TableRows rows(table("1,2\n3,4\n"), model);
  ASSERT_TRUE(rows.next(10));
  EXPECT_EQ(rows.view().f32[3], 4);
}

/// What a model that knows columns by number makes of a table: its first row, or the error.
class ByPlace : public Fitting {
 protected:
  struct Found {
    std::vector<float> x;
    bool scored = false;
    Words unused;
    friend bool operator==(const Found&, const Found&) = default;
  };
  Found first_row(const nn::Dataset& model, std::string_view text) {
    nn::TableRows rows(table(text), model);
    EXPECT_TRUE(rows.next(1)) << text;
    const float* x = rows.view().f32;
    return {{x, x + model.cols()}, rows.scored().size() == 1, rows.fit().unused};
  }
  /// As a file that was written before the width of the table was kept.
  static nn::Dataset older(const nn::Dataset& data) {
    std::string text = nn::preprocessing_json(data);
    const std::size_t at = text.find("\"places\"");
    text.erase(at, text.find(',', at) + 1 - at);
    return nn::preprocessing_from_json(text);
  }
};

TEST_F(ByPlace, ATableIsAsWideAsThatOfTheTraining) {
  CsvFile file("1.5,2,0,7\n2.5,4,1,7\n3.5,6,0,7\n4.5,8,1,7\n");
  file.spec.targets = {"1"};
  file.spec.ignore = {"-1"};
  const nn::Dataset model = model_of(file.load());
  const Found whole{{2, 0}, true, {"c4"}}, without{{2, 0}, false, {"c3"}};
  EXPECT_EQ(first_row(model, "1.5,2,0,7\n"), whole);
  EXPECT_EQ(first_row(model, "2,0,7\n"), without);
  EXPECT_EQ(first_row(model, "x,y,z\n2,0,7\n"), (Found{{2, 0}, false, {"z"}}));
  EXPECT_EQ(message(model, "2,0\n"),
            "t.csv: does not fit the model: it has 2 columns, expected 4, or one fewer without the "
            "target");
  EXPECT_EQ(message(model, "2,0,1,7,7\n"),
            "t.csv: does not fit the model: it has 5 columns, expected 4, or one fewer without the "
            "target");
  // The file of an older model does not say that a fourth column was there.
  EXPECT_EQ(first_row(older(file.load()), "1.5,2,0,7\n"), whole);
}

TEST_F(ByPlace, ArraysAreTheFeaturesOrATableThatNamesTheTarget) {
  nn::Dataset::Header header;
  header.input = nn::Shape::features(2);
  header.cols = 2;
  header.class_names = {"0", "1"};
  header.targets = {{.name = "y"}};
  for (const char* name : {"c1", "c2"}) header.columns.push_back({.name = name, .categories = {}});
  header.places = 2;
  for (const std::optional<std::uint64_t> places : {std::optional<std::uint64_t>(2), {}}) {
    header.places = places;
    const nn::Dataset model = model_of(nn::Dataset(header));
    EXPECT_EQ(first_row(model, "3,4\n"), (Found{{3, 4}, false, {}}));
    EXPECT_EQ(first_row(model, "u,v\n3,4\n"), (Found{{3, 4}, false, {}}));
    EXPECT_EQ(first_row(model, "y,u,v\n1,3,4\n"), (Found{{3, 4}, true, {}}));
    EXPECT_EQ(first_row(model, "0,y,1\n3,1,4\n"), (Found{{3, 4}, true, {}}));
    const std::string wide =
        "t.csv: does not fit the model: it has 3 columns, expected 2, or one more with a header "
        "that names the target 'y'";
    EXPECT_EQ(message(model, "1,3,4\n"), wide);
    EXPECT_EQ(message(model, "t,u,v\n1,3,4\n"), wide);
    EXPECT_EQ(message(model, "y,u,y\n1,3,4\n"), "t.csv:1:5: a second column is called 'y'");
  }
  header.columns.clear();  // as images have none
  header.input = nn::Shape::image(1, 2, 1);
  EXPECT_EQ(first_row(model_of(nn::Dataset(header)), "y,1x1,1x2\n1,3,4\n"),
            (Found{{3, 4}, true, {}}));
}

TEST_F(ByPlace, AColumnThatIsCalledLikeANumberedOneStillHasAName) {
  const nn::Dataset model = model_of(CsvFile("y,c2,c1\np,1,10\nq,2,20\np,3,30\n").load());
  EXPECT_EQ(message(model, "1,10\n"), "t.csv: does not fit the model: it has no column 'y', 'c2'");
}

TEST_F(ByPlace, AValueThatReadsLikeANameIsNone) {
  const nn::Dataset model = model_of(CsvFile("c1,1,0\nc2,2,1\nc1,3,0\nc2,4,1\n").load());
  EXPECT_EQ(first_row(model, "c2,5\nc1,6\n"), (Found{{0, 1, 5}, false, {}}));
}

TEST_F(ByPlace, ARowWithoutAnyValueIsNoHeader) {
  for (const char* text : {"NA,NA\n3,4\n", ",\n3,4\n", "None,-\n3,4\n", "?,1e99\n"}) {
    nn::TableRows rows(table(text), numbered);
    EXPECT_FALSE(rows.fit().header) << text;
  }
  nn::TableRows rows(table("NA,NA\n3,4\n"), numbered);
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(rows.rows(), 2U);
  EXPECT_TRUE(nn::TableRows(table("NA,size\n3,4\n"), numbered).fit().header);
}

TEST_F(ByPlace, NamesOfTheRowsDoNotCount) {
  EXPECT_EQ(first_row(numbered, "\"u\" \"v\"\n\"1\" 3 4\n\"2\" 5 6\n"), (Found{{3, 4}, false, {}}));
  EXPECT_EQ(first_row(numbered, "u,v,y\na,3,4,1\nb,5,6,0\n"), (Found{{3, 4}, true, {}}));
}

TEST_F(ByPlace, AModelThatContradictsItselfIsRefused) {
  std::string text = nn::preprocessing_json(numbered);
  text.replace(text.find("\"c3\""), 4, "\"c2\"");
  const nn::Dataset model = nn::preprocessing_from_json(text);
  EXPECT_EQ(message(model, "1,2,3\n"), "the model treats its target 'c2' as an input");
}

TEST_F(Fitting, BlankHeaderCellsAreNumberedAsInTraining) {
  const nn::Dataset model = model_of(CsvFile("\"\",a,y\nu,1,p\nv,2,q\nu,3,p\nv,4,q\n").load());
  ASSERT_EQ(model.header().columns[0].name, "c1");
  nn::TableRows rows(table("\"\",a,y\nv,7,q\n"), model, {"c1"});
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(std::vector<float>(rows.view().f32, rows.view().f32 + 3),
            (std::vector<float>{0, 1, 7}));
  EXPECT_EQ(rows.kept(0), Words{"v"});
}

TEST_F(Fitting, BlanksDoNotCutTheNameOfTheOnlyColumn) {
  std::string text = "picked up,y\n";
  for (int i = 10; i < 30; ++i)
    text += "2024-02-" + std::to_string(i) + " 06:30," + std::to_string(i * i % 17) + ".5\n";
  const nn::Dataset model = model_of(CsvFile(text).load());
  nn::TableRows rows(table("picked up\n2024-02-01 06:30\n2024-02-02 18:00\n"), model);
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(rows.rows(), 2U);
  // A single word above two: no names of the rows either.
  const nn::Dataset town = model_of(CsvFile("town,y\nNew York,1\nParis,2\nNew York,3\n").load());
  nn::TableRows towns(table("town\nNew York\nSan Diego\n"), town);
  ASSERT_TRUE(towns.next(9));
  EXPECT_EQ(towns.view().f32[0], 1);
  // Without names a value tells.
  CsvFile values("New York,1\nParis,2\nNew York,3\nParis,2\n");
  const nn::Dataset of_values = model_of(values.load());
  nn::TableRows unnamed(table("New York\nSan Diego\n"), of_values);
  ASSERT_TRUE(unnamed.next(9));
  EXPECT_EQ(unnamed.rows(), 2U);
  EXPECT_EQ(unnamed.view().f32[0], 1);
  const nn::Dataset of_two = model_of(CsvFile("a,y\n1,p\n2,q\n").load());
  nn::TableRows cut(table("a y\n1 p\n2 q\n"), of_two);
  ASSERT_TRUE(cut.next(9));
  EXPECT_EQ(cut.scored().size(), 2U);
}

TEST_F(Fitting, ColumnsOfOneNameAreToldApartByTheirOrder) {
  const nn::Dataset model = model_of(CsvFile("p,q,p,y\n1,30,5,u\n2,10,9,v\n3,20,7,u\n").load());
  nn::TableRows rows(table("q,p,p\n4,5,6\n"), model, {"p.2"});
  EXPECT_EQ(rows.notes(), Words{"columns of one name are told apart by a number: 'p.2'"});
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(std::vector<float>(rows.view().f32, rows.view().f32 + 3),
            (std::vector<float>{5, 4, 6}));
  EXPECT_EQ(rows.kept(0), Words{"6"});
  EXPECT_EQ(message(model, "p,q\n1,2\n"), "t.csv: does not fit the model: it has no column 'p.2'");
}

TEST_F(Fitting, NamesOfTheRowsAreNone) {
  const std::string note =
      "the first line has one name fewer than the others have fields: their first ones name the "
      "rows";
  const std::string text =
      "\"age\" \"colour\" \"size\" \"kind\"\n\"1\" 60 \"red\" 1 \"a\"\n\"2\" 70 \"blue\" 2 \"b\"\n";
  for (const char delimiter : {' ', ',', ';', '\t'}) {
    std::string cut = text;
    std::ranges::replace(cut, ' ', delimiter);
    nn::TableRows rows(table(cut), named, {"c1"});
    EXPECT_EQ(rows.notes(), (Words{note, "the model does not look at 'c1'"})) << delimiter;
    ASSERT_TRUE(rows.next(9));
    ASSERT_EQ(rows.scored().size(), 2U);
    EXPECT_EQ(rows.view().f32[0], 60);
    EXPECT_EQ(rows.view().f32[3], 1);
    EXPECT_EQ(rows.kept(1), Words{"2"});
  }
  EXPECT_EQ(message(named, "age,colour,size\n1,1,red,2\n1,2,red,2\n"),
            "t.csv:2:1: 4 fields in this line, expected 3 as in line 1");
}

TEST_F(Fitting, FirstLinesMayBeLongOrEndWithCr) {
  std::string names, row, wide = "y";
  for (int i = 0; i < 20000; ++i) names += "\tENSG" + std::to_string(i);
  for (int i = 0; i < 20000; ++i) row += "\t0,5";
  wide += names + "\np" + row + "\nq" + row + "\n";
  CsvFile of_wide(wide);
  of_wide.spec.targets = {"y"};
  const nn::Dataset model = model_of(of_wide.load());
  ASSERT_GT(names.size(), nn::CsvStream::kPiece);
  nn::TableRows rows(table(wide), model);
  ASSERT_TRUE(rows.next(9));
  EXPECT_EQ(rows.rows(), 2U);
  EXPECT_EQ(rows.view().f32[19999], .5);
  std::string ends = "a;b;y\r";
  for (int i = 0; ends.size() < nn::CsvStream::kPiece * 3 / 2; ++i)
    ends += std::to_string(i % 7) + ";" + std::to_string(i % 3) + (i % 2 == 0 ? ";p\r" : ";q\r");
  const nn::Dataset of_ends = model_of(CsvFile(ends).load());
  nn::TableRows lines(table(ends), of_ends);
  ASSERT_TRUE(lines.next(2));
  EXPECT_EQ(lines.scored().size(), 2U);
}

TEST_F(Fitting, FindsSeveralTargetsByNameAndByPlace) {
  CsvFile file("y,a,z\n1,2,3\n4,5,7\n8,9,10\n");
  file.spec.targets = {"z", "y"};
  const nn::Dataset model = model_of(file.load());
  nn::TableRows all(table("z,y,a\n3,1,2\n"), model);
  ASSERT_TRUE(all.next(10));
  ASSERT_EQ(all.scored().size(), 1U);
  const auto& units = model.header().targets;
  EXPECT_EQ(all.view().targets[0], static_cast<float>((3 - units[0].shift) / units[0].unit));
  EXPECT_EQ(all.view().targets[1], static_cast<float>((1 - units[1].shift) / units[1].unit));
  nn::TableRows one(table("y,a\n1,2\n"), model);
  ASSERT_TRUE(one.next(10));
  EXPECT_TRUE(one.scored().empty());

  CsvFile numbers("1,2,3\n4,5,7\n8,9,10\n");
  numbers.spec.targets = {"1", "3"};
  const nn::Dataset plain = model_of(numbers.load());
  for (const char* text : {"1,2,3\n", "2\n"}) {
    nn::TableRows rows(table(text), plain);
    ASSERT_TRUE(rows.next(10)) << text;
    EXPECT_EQ(rows.view().f32[0], 2) << text;
    EXPECT_EQ(rows.scored().size(), std::string_view(text).size() > 2 ? 1U : 0U);
  }
}

TEST_F(Fitting, RefusesATableThatDoesNotFitNamingTheColumns) {
  EXPECT_EQ(message(named, "Age,colour\n1,red\n"),
            "t.csv: does not fit the model: it has no column 'age' (did you mean 'Age'?), "
            "'size'");
  EXPECT_EQ(message(named, "1,red,3\n"),
            "t.csv: does not fit the model: it has no column 'age', 'colour', 'size'");
  EXPECT_EQ(message(named, "age,colour,size\n1,red,tall\n"),
            "t.csv:2:7: 'tall': expected a number, as column 'size' had in training");
  EXPECT_EQ(message(named, "age,colour,size\n1,red,2\n1,red\n"),
            "t.csv:3:1: 2 fields in this line, expected 3 as in line 1");
  EXPECT_EQ(message(numbered, "1\n"),
            "t.csv: does not fit the model: it has 1 column, expected 3, or one fewer without the "
            "target");
  EXPECT_EQ(message(named, ""), "t.csv: the file is empty");
  EXPECT_EQ(message(named, "age,colour,size\n1,red,2\n", {"nmae"}),
            "t.csv: the file has no column 'nmae' to keep");
}

TEST_F(Fitting, SaysHowTheDatesOfTrainingWereWritten) {
  std::string text = "day,y\n";
  for (int i = 1; i < 28; ++i)
    text += std::to_string(i) + ".3.2020," + std::to_string(i * 2) + "\n";
  CsvFile file(text);
  file.spec.targets = {"y"};
  const nn::Dataset model = model_of(file.load());
  EXPECT_EQ(message(model, "day\n2020-03-01\n"),
            "t.csv:2:1: '2020-03-01': expected a date with the day first, such as 22.11.2026, as "
            "column 'day' had in training");
}

TEST_F(Fitting, ScoresTheRowsThatCanBeAndCountsTheOthers) {
  const auto note = [&](std::string_view text, const nn::Dataset& model, std::size_t scored) {
    nn::TableRows rows(table(text), model);
    std::size_t found = 0;
    while (rows.next(2)) {
      found += rows.scored().size();
      EXPECT_EQ(rows.scored().size() + rows.others().size(), rows.rows());
    }
    EXPECT_EQ(found, scored);
    return rows.notes().empty() ? "" : rows.notes().back();
  };
  const std::string head = "age,colour,size,kind\n";
  EXPECT_EQ(note(head + "1,red,2,a\n1,red,2,b\n", named, 2), "");
  EXPECT_EQ(note(head + "1,red,2,a\n1,red,2,\n1,red,2,b\n", named, 2),
            "2 of 3 rows are scored: in 1 the target is missing (line 3)");
  EXPECT_EQ(note(head + "1,red,2,z\n1,red,2,a\n1,red,2,\n1,red,2,y\n1,red,2,NA\n", named, 1),
            "1 of 5 rows is scored: in 2 the target is missing (the first in line 4), in 2 the "
            "target is no class that the model knows (the first in line 2: 'z')");
  EXPECT_EQ(note(head + "1,red,2,z\n", named, 0),
            "no row is scored: in 1 the target is no class that the model knows (line 2: 'z')");
  CsvFile file("a,y,z\n1,2,3.5\n4,5,7\n8,9,10\n");
  file.spec.targets = {"y", "z"};
  EXPECT_EQ(note("a,y,z\n1,,x\n1,2,3\n", model_of(file.load()), 1),
            "1 of 2 rows is scored: in 1 the target is missing (line 2)");
  EXPECT_EQ(note("a,y,z\n1,2,x\n", model_of(file.load()), 0),
            "no row is scored: in 1 the target is no number (line 2: 'x')");
}

TEST_F(Fitting, LabelsStandAtTheirRows) {
  nn::TableRows some(table("age,colour,size,kind\n1,red,2,\n1,red,2,b\n1,red,2,a\n"), named);
  ASSERT_TRUE(some.next(9));
  EXPECT_EQ(some.view().labels[some.scored()[0]], 1);
  EXPECT_EQ(some.view().labels[some.scored()[1]], 0);
  nn::TableRows rows(table("a,b,c\n1,2,1.0\n"), numbered);
  ASSERT_TRUE(rows.next(1));
  EXPECT_EQ(rows.view().labels[0], 1);
}

TEST(TableRows, KnowWhatStoodForNoValueInTraining) {
  CsvFile file("a,t,y\n1,u,p\n-999,v,q\n3,u,p\n4,-999,q\n5,u,p\n6,v,q\n");
  file.spec.missing = {"-999"};
  const nn::Dataset data = file.load();
  const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
  EXPECT_EQ(model.header().missing, Words{"-999"});
  const CsvFile later("t,a\n-999,-999\nu,-999.0\n");
  nn::TableRows rows(later.spec.path, model, {"a"});
  ASSERT_TRUE(rows.next(9));
  const float* x = rows.view().f32;
  EXPECT_EQ(x[0], model.header().columns[0].fill);
  EXPECT_EQ(x[1], 1) << "the indicator";
  EXPECT_EQ(x[4], -999) << "another text";
  EXPECT_EQ(rows.kept(0), Words{"-999"}) << "kept as it stands";
}

}  // namespace
