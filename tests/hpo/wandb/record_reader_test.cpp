#include "hpo/wandb/record_reader.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/hpo/wandb/run_files.h"

namespace hpo::wandb {
namespace {

/// Records of many lengths, some longer than a block, some that end just before one's end.
std::vector<std::string> some_records() {
  std::vector<std::string> records;
  for (std::size_t i = 0; i < 60; ++i)
    records.emplace_back(i * 997 % 5000, static_cast<char>('a' + i % 26));
  records.emplace_back(100'000, 'x');
  for (std::size_t left = 0; left < 16; ++left)
    records.emplace_back(32768 - 7 - left, static_cast<char>('A' + left));
  return records;
}

TEST(RecordReader, ReadsWhatIsWrittenInPiecesOfAnyLength) {
  const std::vector<std::string> records = some_records();
  RunFile file;
  for (const std::string& record : records) file.record(record);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{6}, std::size_t{7}, std::size_t{4096},
                                  std::size_t{32768}, file.text().size()}) {
    RecordReader reader;
    std::vector<std::string> read;
    for (std::size_t at = 0; at < file.text().size(); at += piece) {
      for (std::string& record : reader.add(std::string_view(file.text()).substr(at, piece)))
        read.push_back(std::move(record));
    }
    EXPECT_EQ(read, records) << piece;
  }
}

TEST(RecordReader, WaitsForWhatIsNotWrittenYet) {
  RunFile file;
  file.record("one");
  file.record("two");
  const std::string text = file.text();
  RecordReader reader;
  EXPECT_TRUE(reader.add(std::string_view(text).substr(0, 5)).empty());
  EXPECT_EQ(reader.add(std::string_view(text).substr(5, text.size() - 6)),
            std::vector<std::string>{"one"});
  EXPECT_TRUE(reader.add("").empty());
  EXPECT_EQ(reader.add(std::string_view(text).substr(text.size() - 1)),
            std::vector<std::string>{"two"});
}

TEST(RecordReader, RefusesOtherFilesAndDamage) {
  RecordReader other;
  EXPECT_THROW((void)other.add("SQLite format 3"), base::Error);
  RunFile file;
  file.record("one");
  file.record("two");
  for (std::size_t at = 7; at < file.text().size(); ++at) {
    std::string text = file.text();
    text[at] = static_cast<char>(text[at] ^ 0x10);
    RecordReader reader;
    std::vector<std::string> read;
    try {
      read = reader.add(text);
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find("is damaged at byte "), std::string::npos);
    }
    EXPECT_LT(read.size(), 2U) << at << ": a record with another byte was read";
  }
}

TEST(RecordReader, LeavesOutWhatIsTooLargeForAReport) {
  RunFile file;
  file.record(std::string(std::size_t{17} << 20, 'x'));
  file.record("one");
  RecordReader reader;
  EXPECT_EQ(reader.add(file.text()), std::vector<std::string>{"one"});
}

}  // namespace
}  // namespace hpo::wandb
