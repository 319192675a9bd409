// A table that is kept gives the data sets that reading it again gives.

#include "nn/data/kept_tables.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/nn/data/files.h"

namespace nn {
namespace {

/// Rows "x,colour,group,time,y" with missing numbers; `y` makes the target of a row's number.
template <class Target>
std::string table(Target y, int rows = 300) {
  std::mt19937 random(7);
  std::string text = "x,colour,group,time,y\n";
  for (int i = 0; i < rows; ++i) {
    const auto x = static_cast<int>(random() % 1000);
    text += (i % 17 == 0 ? "" : std::to_string(x - 500)) + "," + (x % 3 == 0 ? "red" : "blue") +
            ",g" + std::to_string(i % 30) + "," + std::to_string(i * i) + "," + y(x) + "\n";
  }
  return text;
}

std::string class_of(int x) { return x % 2 == 0 ? "even" : "odd"; }
std::string number_of(int x) { return std::to_string(x) + ".5"; }

/// The specs of a study with five folds: as the file says, settled, each fold, and the whole.
std::vector<DataSpec> specs_of(const DataSpec& file, LearningTask task) {
  std::vector<DataSpec> specs{file};
  DataSpec settled = file;
  settled.task = task;
  settled.split.folds = 5;
  for (settled.split.fold = 0; settled.split.fold < 5; ++settled.split.fold)
    specs.push_back(settled);
  settled.split.fold = settled.split.folds = 0;
  settled.split.valid = 0;
  specs.push_back(settled);
  return specs;
}

void expect_equal(const Dataset& kept, const Dataset& read) {
  EXPECT_EQ(kept.header(), read.header());
  EXPECT_TRUE(std::ranges::equal(kept.bytes(), read.bytes()));
}

void expect_all_equal(const DataSpec& file, LearningTask task) {
  const std::vector<DataSpec> specs = specs_of(file, task);
  std::vector<Dataset> read;
  for (const DataSpec& spec : specs) read.push_back(load_dataset(spec));
  const KeptTables keeping;
  for (std::size_t i = 0; i < specs.size(); ++i) expect_equal(load_dataset(specs[i]), read[i]);
}

bool is_kept(const DataSpec& spec) {
  return kept_table({content_hash(spec), {spec.path}, spec}) != nullptr;
}

struct SplitFile : nn_test::CsvFile {
  explicit SplitFile(const std::string& text) : CsvFile(text) {
    spec.split = {.valid = 0.2, .test = 0.2};
    spec.scale = Scale::standard;
  }
};

TEST(KeptTables, GiveWhatReadingAgainGives) {
  const SplitFile classes(table(class_of)), numbers(table(number_of));
  expect_all_equal(classes.spec, LearningTask::classification);
  expect_all_equal(numbers.spec, LearningTask::regression);
}

TEST(KeptTables, GiveTheSameBytesWhereAllAreBytes) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 200; ++i)
    text += std::to_string(i % 256) + "," + std::to_string(i * 7 % 50) + "," +
            std::to_string(i % 3) + "\n";
  expect_all_equal(SplitFile(text).spec, LearningTask::classification);
}

TEST(KeptTables, AreSplitByGroupsTimesAndATestFile) {
  SplitFile file(table(number_of));
  file.spec.split.group = "group";
  expect_all_equal(file.spec, LearningTask::regression);
  file.spec.split.group.clear();
  file.spec.split.time = "time";
  expect_all_equal(file.spec, LearningTask::regression);
  file.spec.split.time.clear();
  file.spec.split.test = 0;
  file.spec.more = file.folder / "test.csv";
  nn_test::write_file(file.spec.more, table(number_of, 40));
  expect_all_equal(file.spec, LearningTask::regression);
}

TEST(KeptTables, AreKeptWhileOneLives) {
  const SplitFile file(table(class_of));
  (void)file.load();
  EXPECT_FALSE(is_kept(file.spec));
  {
    const KeptTables keeping;
    {
      const KeptTables nested;
      (void)file.load();
    }
    EXPECT_TRUE(is_kept(file.spec));
    DataSpec other = file.spec;
    other.ignore = {"x"};
    EXPECT_FALSE(is_kept(other));
  }
  EXPECT_FALSE(is_kept(file.spec));
}

TEST(KeptTables, AreReadAgainWhereTheFileChanges) {
  const SplitFile file(table(class_of));
  const KeptTables keeping;
  EXPECT_EQ(file.load().rows(), 300u);
  nn_test::write_file(file.spec.path, table(class_of, 250));
  EXPECT_EQ(file.load().rows(), 250u);
}

}  // namespace
}  // namespace nn
