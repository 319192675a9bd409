#include "hpo/export/tensorboard.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "hpo/export/best_trials.h"
#include "hpo/export/event_file.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

Space space() {
  return Space({{.name = "lr", .domain = FloatRange{.min = 0, .max = 1}},
                {.name = "optimizer", .domain = Choice{.values = {std::string("adam")}}}});
}

std::uint32_t word_at(const std::string& text, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>(text.at(at + i));
  return word;
}

std::uint32_t masked(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

/// The contents of whole records; fails at a record that is damaged or cut off.
std::vector<std::string> records_of(const std::string& text) {
  std::vector<std::string> records;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = word_at(text, at);
    EXPECT_EQ(word_at(text, at + 8), masked(std::string_view(text).substr(at, 8)));
    records.push_back(text.substr(at + 12, length));
    EXPECT_EQ(word_at(text, at + 12 + length), masked(records.back()));
    at += 16 + length;
  }
  EXPECT_EQ(at, text.size());
  return records;
}

ino_t inode_of(const base::Path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_ino;
}

base::Path event_file_in(const base::Path& folder) {
  base::Path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) found = entry.path();
  return found;
}

class TensorBoard : public ::testing::Test {
 protected:
  void write() {
    const StudyReader study(folder / "study");
    write_tensorboard(study, space(), study.trials(), folder / "events");
  }
  void append(const std::vector<Event>& events) {
    const auto log = sample::open(folder / "study");
    for (const Event& event : events) log->append(event);
    log->commit();
  }
  support::TempFolder folder;
};

TEST(Crc32c, IsCastagnolis) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
}

TEST_F(TensorBoard, FilesOfAStudyThatGoesOnGrowAtTheirEnds) {
  append({sample::created(0, 0.1), sample::reported(0, 1, 0.25)});
  write();
  const base::Path file = event_file_in(folder / "events/0000");
  const std::string before = base::read_file(file);
  EXPECT_EQ(records_of(before).size(), 4U) << "version, start, two metrics";
  const ino_t inode = inode_of(file);
  append({sample::reported(0, 2, 0.5), sample::ended(0, TrialState::complete)});
  write();
  const std::string after = base::read_file(file);
  EXPECT_TRUE(after.starts_with(before));
  EXPECT_EQ(records_of(after).size(), 8U) << "and two metrics, the value, the end";
  EXPECT_EQ(inode_of(file), inode) << "a reader that follows the file would lose it";
  append({{.trial = 0, .body = Exported{"best.safetensors", {{"test.accuracy", 0.75}}}}});
  write();
  EXPECT_TRUE(base::read_file(file).starts_with(after));
  EXPECT_EQ(records_of(base::read_file(file)).size(), 9U);
}

TEST_F(TensorBoard, WhatAKillLeftIsCompleted) {
  append({sample::created(0, 0.1), sample::reported(0, 1, 0.25)});
  write();
  const base::Path file = event_file_in(folder / "events/0000");
  const std::string whole = base::read_file(file);
  std::filesystem::resize_file(file, whole.size() - 9);
  write();
  EXPECT_EQ(base::read_file(file), whole);
}

TEST_F(TensorBoard, AFolderOfSomethingElseIsRefusedUntouched) {
  append({sample::created(0, 0.1), sample::reported(0, 1, 0.25)});
  std::filesystem::create_directories(folder / "events/0000");
  base::write_file_atomic(folder / "events/0000/events.out.tfevents.1.host", "x",
                          base::Durability::cached);
  EXPECT_THROW(write(), base::Error);
  EXPECT_TRUE(event_file_in(folder / "events").empty());
}

TEST_F(TensorBoard, TheBestTrialsAreThoseThatBestWouldName) {
  append({sample::created(0, 0.1), sample::reported(0, 1, 0.25),
          sample::ended(0, TrialState::complete), sample::created(1, 0.2),
          sample::reported(1, 1, 0.75), sample::ended(1, TrialState::failed, Cause::error),
          sample::created(2, 0.3), sample::reported(2, 1, 0.5),
          sample::ended(2, TrialState::complete), sample::created(3, 0.3),
          sample::reported(3, 1, 0.9), sample::ended(3, TrialState::stopped)});
  const StudyReader study(folder / "study");
  std::vector<std::uint64_t> numbers;
  for (const TrialRow& trial : best_trials(study, 3)) numbers.push_back(trial.trial);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 0, 3}));
  EXPECT_EQ(numbers.front(), study.best()->trial);
  EXPECT_EQ(best_trials(study, 9).size(), 4U);
}

}  // namespace
}  // namespace hpo
