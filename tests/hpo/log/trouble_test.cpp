// Full, read-only, damaged: whatever happens to the disk, the answer is right or an error that
// names file and remedy.

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "hpo/log/event_log.h"
#include "hpo/log/sqlite.h"
#include "hpo/log/study_reader.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using sample::created;
using sample::ended;
using sample::reported;

/// Runs `act`, which must throw a storage error that names `word`.
template <class F>
void expect_storage_error(F act, const std::string& word) {
  try {
    act();
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

void write_study(const base::Path& folder, std::uint64_t trials) {
  auto log = sample::open(folder);
  for (std::uint64_t i = 0; i < trials; ++i) {
    log->append(created(i, 0.1));
    log->append(reported(i, 1, 0.5));
    log->append(ended(i, TrialState::complete));
  }
  log->commit();
}

/// Everything that a study says, as one text.
std::string dump(const base::Path& folder) {
  std::string text;
  StudyReader study(folder);
  for (const TrialRow& row : study.trials())
    text += base::cat(row.trial, name_of(row.state), row.value.value_or(-1), "\n");
  for (const EventRow& event : study.events()) text += base::cat(event.kind, event.payload(), "\n");
  EventLog log(folder);
  if (!log.facts()) return "nothing";
  log.replay([&](const Event& event) {
    text += base::cat(kind_of(event.body), payload_of(event.body), "\n");
  });
  return text;
}

TEST(Trouble, AFullDiskKeepsWhatWasCommitted) {
  support::TempFolder folder;
  support::SmallDisk disk(folder.path(), "size=512k");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a tmpfs";
  std::uint64_t committed = 0;
  {
    auto log = sample::open(folder.path());
    expect_storage_error(
        [&] {
          for (std::uint64_t i = 0; i < 10'000; ++i) {
            log->append(created(i, 0.1));
            log->commit();
            ++committed;
          }
        },
        folder.path().string());
  }
  EXPECT_GT(committed, 10u);
  EXPECT_EQ(StudyReader(folder.path()).trials().size(), committed)
      << "readable while the disk is full";
  ASSERT_EQ(::mount("tmpfs", folder.path().c_str(), "tmpfs", MS_REMOUNT, "size=4m"), 0);
  auto log = sample::open(folder.path());
  EXPECT_EQ(log->trials().rows().size(), committed);
  log->append(created(committed, 0.1));
  EXPECT_EQ(log->commit().size(), 1u) << "it goes on once there is space";
}

TEST(Trouble, AReadOnlyFolderIsNamedAndStillReadable) {
  support::TempFolder folder;
  support::SmallDisk disk(folder.path(), "size=4m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a tmpfs";
  write_study(folder / "a", 3);
  ASSERT_TRUE(disk.make_read_only());
  StudyReader study(folder / "a");
  EXPECT_EQ(study.trials().size(), 3u);
  EXPECT_EQ(study.info().state, StudyState::interrupted);
  expect_storage_error([&] { EventLog log(folder / "a"); }, (folder / "a").string());
  expect_storage_error([&] { EventLog log(folder / "new"); }, (folder / "new").string());
}

TEST(Trouble, PathsThatAreNoStudyAreNamed) {
  support::TempFolder folder;
  std::ofstream(folder / "file") << "text";
  expect_storage_error([&] { EventLog log(folder / "file"); }, (folder / "file").string());
  std::filesystem::create_directories(folder / "odd/study.db");
  expect_storage_error([&] { StudyReader study(folder / "odd"); }, (folder / "odd").string());
  std::filesystem::create_directories(folder / "text");
  std::ofstream(folder / "text/study.db") << std::string(5000, 'x');
  expect_storage_error([&] { EventLog log(folder / "text"); }, "damaged");
  expect_storage_error([&] { StudyReader study(folder / "text"); }, "damaged");
}

TEST(Trouble, ATrialsRowThatWasChangedIsNamed) {
  for (const char* change :
       {"state = 'stopped'", "cause = 'killed'", "message = 'fine'", "value = 0.9", "value = NULL",
        "params = '{\"lr\":0.2}'", "metrics = '{}'", "step = 7", "epochs = 7", "attempts = 7",
        "seconds = 7.5", "parent = 0", "train_flops = 7.5", "inference_flops = 7.5", "sum = 7"}) {
    support::TempFolder folder;
    write_study(folder.path(), 2);
    {
      sql::Database db(folder / "study.db", sql::Access::create);
      db.exec(base::cat("UPDATE trials SET ", change, " WHERE trial = 1").c_str());
    }
    SCOPED_TRACE(change);
    const StudyReader study(folder.path());
    EXPECT_EQ(study.trial(0)->value, 0.5);
    expect_storage_error([&] { (void)study.trial(1); },
                         "the row of trial 1 does not match its checksum");
    expect_storage_error([&] { (void)study.trials(); }, "the row of trial 1");
  }
}

TEST(Trouble, OtherProgramsAndNewerFormatsAreRefused) {
  support::TempFolder folder;
  {
    sql::Database db(folder / "study.db", sql::Access::create);
    db.exec("CREATE TABLE other(x)");
  }
  expect_storage_error([&] { EventLog log(folder.path()); }, "another program");
  write_study(folder / "newer", 1);
  {
    sql::Database db(folder / "newer/study.db", sql::Access::create);
    db.exec("PRAGMA user_version=3");
  }
  expect_storage_error([&] { EventLog log(folder / "newer"); }, "newer");
  expect_storage_error([&] { StudyReader study(folder / "newer"); }, "newer");
}

TEST(Trouble, AStudyThatLostAFactNamesIt) {
  support::TempFolder folder;
  for (const std::string fact : {"name", "metric", "goal", "take", "parameters", "resolved"}) {
    const base::Path study = folder / fact;
    write_study(study, 1);
    {
      sql::Database db(study / "study.db", sql::Access::create);
      db.exec(base::cat("DELETE FROM study WHERE key = '", fact, "'").c_str());
    }
    const std::string said =
        base::cat((study / "study.db").string(), " is damaged: the fact ", fact, " is missing");
    expect_storage_error([&] { EventLog log(study); }, said);
    expect_storage_error([&] { StudyReader reader(study); }, said);
  }
}

TEST(Trouble, AnEventThatWasChangedIsNotShown) {
  support::TempFolder folder;
  write_study(folder.path(), 3);
  ASSERT_FALSE(StudyReader(folder.path()).events(1).empty());
  {
    sql::Database db(folder / "study.db", sql::Access::create);
    db.exec("UPDATE log SET payload = payload || ' ' WHERE trial = 1");
  }
  const StudyReader study(folder.path());
  expect_storage_error([&] { (void)study.events(1); }, "event ");
  expect_storage_error([&] { (void)study.events(); }, "event ");
}

TEST(Trouble, ACreationThatWasCutShortStartsAgain) {
  support::TempFolder folder;
  std::ofstream(folder / "study.db").close();
  EventLog log(folder.path());
  EXPECT_FALSE(log.facts());
  log.begin(sample::facts());
  log.replay(sample::no_events);
  log.append(created(0, 0.1));
  EXPECT_EQ(log.commit().size(), 1u);
}

TEST(Trouble, AFlippedByteNeverGivesAWrongAnswer) {
  support::TempFolder folder;
  write_study(folder / "good", 20);
  const std::string right = dump(folder / "good");
  const std::string bytes = base::read_file(folder / "good/study.db");
  base::Stream random(1, "flips");
  int noticed = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bad = bytes;
    std::size_t at = random.below(bad.size());
    bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
    std::filesystem::remove_all(folder / "bad");
    std::filesystem::create_directories(folder / "bad");
    std::ofstream(folder / "bad/study.db", std::ios::binary) << bad;
    try {
      EXPECT_EQ(dump(folder / "bad"), right) << "a wrong answer with byte " << at << " flipped";
    } catch (const base::Error& error) {
      ++noticed;
      EXPECT_EQ(error.kind(), base::Errc::storage) << error.what();
    }
  }
  EXPECT_GT(noticed, 10);
}

TEST(Trouble, ACutFileIsAnErrorOrAnEarlierState) {
  support::TempFolder folder;
  write_study(folder / "good", 20);
  const std::string bytes = base::read_file(folder / "good/study.db");
  for (std::size_t keep = 0; keep < bytes.size(); keep += 997) {
    std::filesystem::remove_all(folder / "bad");
    std::filesystem::create_directories(folder / "bad");
    std::ofstream(folder / "bad/study.db", std::ios::binary) << bytes.substr(0, keep);
    EXPECT_THROW((void)dump(folder / "bad"), base::Error) << keep;
  }
}

TEST(Trouble, AWalCutAnywhereKeepsAPrefixOfTheCommits) {
  support::TempFolder folder;
  auto log = sample::open(folder / "good");
  for (std::uint64_t i = 0; i < 10; ++i) {
    log->append(created(i, 0.1));
    log->commit();
  }
  const std::string db = base::read_file(folder / "good/study.db");
  const std::string wal = base::read_file(folder / "good/study.db-wal");
  std::size_t most = 0;
  for (std::size_t keep = 0; keep <= wal.size(); keep += 1511) {
    std::filesystem::remove_all(folder / "cut");
    std::filesystem::create_directories(folder / "cut");
    std::ofstream(folder / "cut/study.db", std::ios::binary) << db;
    std::ofstream(folder / "cut/study.db-wal", std::ios::binary) << wal.substr(0, keep);
    EventLog again(folder / "cut");
    if (!again.facts()) continue;
    again.replay(sample::no_events);
    EXPECT_GE(again.trials().rows().size(), most) << "more of the file holds fewer commits";
    most = again.trials().rows().size();
  }
  EXPECT_GE(most, 9u);
}

}  // namespace
}  // namespace hpo
