// What the notes of real tables are about.

#include "nn/data/note_kinds.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/nn/data/files.h"

namespace nn {
namespace {

/// How many notes of each kind a table gets.
std::map<NoteKind, int> kinds_of(const std::string& text) {
  nn_test::CsvFile file(text);
  file.spec.split = {.valid = 0.2, .test = 0.2};
  std::map<NoteKind, int> kinds;
  const Dataset data = file.load();
  for (const std::string& note : data.header().notes) ++kinds[kind_of_note(note)];
  return kinds;
}

TEST(NoteKinds, SortWhatATableIsTold) {
  std::string text = "id,x,price,day,clock,month,colour,street,same,one,zip,y\n";
  for (int i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i);
    text += "r" + n + "," + (i % 9 == 0 ? "" : n + ".5") + ",$" + std::to_string(i * 7 % 90) +
            ",2021-03-0" + std::to_string(i % 9 + 1) + ",1" + std::to_string(i % 10) +
            ":30,2020-0" + std::to_string(i % 9 + 1) + "," + (i % 2 == 0 ? "red" : "blue") + ",s" +
            std::to_string(i % 80) + ",a,7,0" + std::to_string(i % 90 + 10) + "," +
            (i == 5       ? "rare"
             : i % 2 == 0 ? "Yes"
                          : "yes") +
            "\n";
  }
  auto kinds = kinds_of(text);
  // Numbers, codes, categories, hashed, dates, months, times of day, one number in all rows.
  EXPECT_EQ(kinds[NoteKind::inputs], 8);
  EXPECT_EQ(kinds[NoteKind::left_out], 2);  // ids, one text in all rows
  // The task, the classes, their spellings, how rare one is, that it has one row.
  EXPECT_EQ(kinds[NoteKind::target], 5);
  EXPECT_EQ(kinds[NoteKind::table], 2);  // the header, missing values
}

TEST(NoteKinds, TellSentencesThatBeginAlike) {
  EXPECT_EQ(kind_of_note("numbers have a decimal comma"), NoteKind::table);
  EXPECT_EQ(kind_of_note("numbers: 'a'"), NoteKind::inputs);
  EXPECT_EQ(kind_of_note("3 rows left out: no value of 'y'"), NoteKind::table);
  EXPECT_EQ(kind_of_note("3 classes: 'a' (1 row), 'b' (2), 'c' (2)"), NoteKind::target);
  EXPECT_EQ(kind_of_note("classes of heads"), NoteKind::table);
  EXPECT_EQ(kind_of_note(""), NoteKind::table);
}

}  // namespace
}  // namespace nn
