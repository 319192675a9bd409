// Files of other kinds, and quotes of the other kind.

#include "nn/data/file_kinds.h"

#include <gtest/gtest.h>

#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using nn_test::says;
using nn_test::values;
using Words = std::vector<std::string>;

struct OtherFile {
  const char* name;
  std::string bytes;
  const char* message;  ///< behind the name
};
class OtherFiles : public testing::TestWithParam<OtherFile> {};

TEST_P(OtherFiles, AreNamedWithTheCommandThatMakesATable) {
  const CsvFile file(GetParam().bytes, "t.x");
  const std::string expected = std::string("t.x: ") + GetParam().message;
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)file.load(); }), expected);
  const nn::Dataset model =
      nn::preprocessing_from_json(nn::preprocessing_json(CsvFile("a,y\n1,p\n2,q\n").load()));
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)nn::TableRows(file.spec.path, model); }),
            expected);
}

#define PANDAS(call)                                                   \
  "; to convert it: python3 -c 'import sys, pandas; pandas.read_" call \
  ".to_csv(sys.argv[2], index=False)' t.x t.csv"

const std::string kZeros(200, '\0');

INSTANTIATE_TEST_SUITE_P(
    Files, OtherFiles,
    testing::Values(
        OtherFile{
            "json_lines", "{\"a\": 1, \"y\": \"u\"}\n{\"a\": 2, \"y\": \"v\"}\n",
            "this is a file of JSON lines, expected CSV" PANDAS("json(sys.argv[1], lines=True)")},
        OtherFile{
            "json_lines_with_a_mark", "\xef\xbb\xbf { \"a\" : 1}\n",
            "this is a file of JSON lines, expected CSV" PANDAS("json(sys.argv[1], lines=True)")},
        OtherFile{"json", "{\n  \"a\": [1, 2]\n}\n",
                  "this is a JSON file, expected CSV" PANDAS("json(sys.argv[1])")},
        OtherFile{"json_list", "[{\"a\": 1}, {\"a\": 2}]",
                  "this is a JSON file, expected CSV" PANDAS("json(sys.argv[1])")},
        OtherFile{"json_lists", "[\n [1, 2],\n [3, 4]]",
                  "this is a JSON file, expected CSV" PANDAS("json(sys.argv[1])")},
        OtherFile{"bzip2", "BZh91AY&SY" + kZeros,
                  "this is a file compressed by bzip2, expected CSV; to convert it: bunzip2 -c t.x "
                  "> t.csv"},
        OtherFile{
            "xz",
            std::string("\xfd"
                        "7zXZ\0",
                        6) +
                kZeros,
            "this is a file compressed by xz, expected CSV; to convert it: xz -dc t.x > t.csv"},
        OtherFile{"zstd", "\x28\xb5\x2f\xfd" + kZeros,
                  "this is a file compressed by Zstandard, expected CSV; to convert it: zstd -dc "
                  "t.x > t.csv"},
        OtherFile{"zip", "PK\x03\x04" + kZeros,
                  "this is a zip archive, expected CSV; to convert it: unzip t.x"},
        OtherFile{"xlsx", "PK\x03\x04" + kZeros + "xl/workbook.xml",
                  "this is an Excel workbook (.xlsx), expected CSV" PANDAS("excel(sys.argv[1])")},
        OtherFile{"xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + kZeros,
                  "this is an Excel workbook (.xls), expected CSV" PANDAS("excel(sys.argv[1])")},
        OtherFile{"parquet", "PAR1" + kZeros + "PAR1",
                  "this is a Parquet file, expected CSV" PANDAS("parquet(sys.argv[1])")},
        OtherFile{"html", " <!DOCTYPE HTML>\n<html>",
                  "this is a page of HTML, expected CSV" PANDAS("html(sys.argv[1])[0]")},
        OtherFile{"html_table", "<table border=1><tr>",
                  "this is a page of HTML, expected CSV" PANDAS("html(sys.argv[1])[0]")},
        OtherFile{"xml", "<?xml version=\"1.0\"?>\n<rows/>",
                  "this is an XML file, expected CSV" PANDAS("xml(sys.argv[1])")},
        OtherFile{
            "arff", "% by hand\n\n@RELATION r\n@ATTRIBUTE a REAL\n@DATA\n1\n",
            "this is an ARFF file (of Weka), expected CSV; to convert it: awk 'tolower($1) == "
            "\"@attribute\" {names = names sep $2; sep = \",\"} rows && !/^%/; tolower($1) "
            "== \"@data\" {print names; rows = 1}' t.x > t.csv"},
        OtherFile{
            "orange", "a\tb\ty\ncontinuous\tc\td\n\tmeta\tclass\n1\t2\tu\n",
            "this is a table of Orange with three lines of names, expected CSV; to convert it: "
            "sed 2,3d t.x > t.csv"}),
    [](const auto& one) { return one.param.name; });

TEST(Files, TablesThatBeginAlikeAreTables) {
  for (const char* name : {"PAR1", "BZh9", "{a}", "[a]", "html", "%", "PK"}) {
    CsvFile file(std::string(name) + ",y\n1,p\n2,q\n3,p\n");
    EXPECT_EQ(file.load().header().columns.at(0).name, name);
  }
  // c and d are texts of a table, too.
  EXPECT_EQ(CsvFile("a\ty\nc\td\nd\tc\nc\td\nd\tc\n").load().rows(), 4U);
}

TEST(Files, CommandsWriteBesideTheFile) {
  const auto out = [](const std::string& path) {
    const std::string text = error_of("/", [&] { nn::refuse_other_kind(path, "{\"a\": 1}"); });
    return text.substr(text.rfind(' ') + 1);
  };
  EXPECT_EQ(out("d/t.jsonl"), "d/t.csv");
  EXPECT_EQ(out("d/t.csv.xz"), "d/t.csv");
  EXPECT_EQ(out("d/t.csv"), "d/t.csv.csv");
  EXPECT_EQ(out("d.e/t"), "d.e/t.csv");
  EXPECT_EQ(out("d/.t"), "d/.t.csv");
}

TEST(Files, StandardInputHasNoCommand) {
  EXPECT_EQ(error_of("/", [] { nn::refuse_other_kind("standard input", "BZh91AY&SY"); }),
            "standard input: this is a file compressed by bzip2, expected CSV");
}

/// A row for each of these fields in single quotes, beside numbers that no other row has.
std::string quoted(const Words& fields, char delimiter = ',') {
  const std::string d(1, delimiter);
  std::string text = "a" + d + "k" + d + "y\n";
  for (int i = 0; i < 24; ++i)
    text += "0." + std::to_string(1000 + i * 37) + d + "'" +
            fields[static_cast<std::size_t>(i) % fields.size()] + "'" + d +
            std::to_string(i * i % 17) + ".5\n";
  return text;
}

TEST(SingleQuotes, StandAroundFieldsWithDelimiters) {
  for (const char delimiter : {',', ';', '\t'}) {
    const std::string d(1, delimiter);
    const nn::Dataset data =
        CsvFile(quoted({"red" + d + " dark", "green" + d + " dark"}, delimiter)).load();
    ASSERT_EQ(data.header().columns.size(), 2U);
    EXPECT_EQ(data.header().columns.at(0).name, "a");
    EXPECT_EQ(data.header().columns.at(1).categories,
              (Words{"green" + d + " dark", "red" + d + " dark"}));
    EXPECT_TRUE(says(data, "fields are in single quotes"));
    const nn::Dataset model = nn::preprocessing_from_json(nn::preprocessing_json(data));
    // Also where no field of the table needs them.
    const CsvFile later("a" + d + "k\n1" + d + "'red" + d + " dark'\n");
    nn::TableRows rows(later.spec.path, model);
    ASSERT_TRUE(rows.next(9));
    EXPECT_EQ(rows.view().f32[2], 1);
    const CsvFile plain("a" + d + "k\n1" + d + "'blue'\n");
    nn::TableRows other(plain.spec.path, model);
    ASSERT_TRUE(other.next(9));
    EXPECT_EQ(other.notes(),
              Words{"column 'k': 1 value that training never saw, taken as missing"});
  }
}

TEST(SingleQuotes, AreDoubledWithin) {
  const nn::Dataset data = CsvFile(quoted({"it''s, red", "\"blue\", it is"})).load();
  EXPECT_EQ(data.header().columns.at(1).categories, (Words{"\"blue\", it is", "it's, red"}));
}

TEST(SingleQuotes, AreLettersWhereTheTableIsEvenWithoutThem) {
  const nn::Dataset data = CsvFile(quoted({"red", "green"})).load();
  EXPECT_EQ(data.header().columns.at(1).categories, (Words{"'green'", "'red'"}));
  const nn::Dataset names = CsvFile("k,y\nO'Neil,p\n'tis,q\nO'Neil,p\n'tis,q\n").load();
  EXPECT_EQ(names.header().columns.at(0).categories, (Words{"'tis", "O'Neil"}));
}

}  // namespace
