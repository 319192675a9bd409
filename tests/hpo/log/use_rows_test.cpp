// What workers did over time, in the log: a session's rows, beside those of others.

#include "hpo/log/use_rows.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "hpo/log/event_log.h"
#include "hpo/log/schema.h"
#include "hpo/log/study_reader.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

SessionUse use_of(std::size_t buckets, double busy) {
  SessionUse use{.began = 1795000000123456,
                 .width = 0.25,
                 .seconds = 0.25 * static_cast<double>(buckets),
                 .states = {"busy", "moving", "late", "other kind"},
                 .workers = {{.name = "cpu 0"}, {.name = "cuda 0", .gpu = 1}}};
  for (WorkerUse& worker : use.workers) {
    for (std::size_t i = 0; i < buckets; ++i)
      for (const double share : {busy, 0.1, 0.0, 0.9 - busy}) worker.shares.push_back(share);
  }
  return use;
}

/// A session that writes series of so many buckets, one after another.
void run_session(const base::Path& folder, const std::vector<std::size_t>& buckets, double busy) {
  auto log = sample::open(folder);
  for (const std::size_t n : buckets) {
    log->note_use(use_of(n, busy));
    (void)log->commit();
  }
}

TEST(UseRows, EachSessionHasItsLastSeries) {
  support::TempFolder folder;
  EXPECT_TRUE((sample::open(folder.path()), StudyReader(folder.path()).device_use().empty()));
  run_session(folder.path(), {2, 7, 3}, 0.5);
  run_session(folder.path(), {512}, 0.25);
  const std::vector<SessionUse> sessions = StudyReader(folder.path()).device_use();
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[0].epoch, 2);
  EXPECT_EQ(sessions[1].epoch, 3);
  EXPECT_EQ(sessions[0].began, 1795000000123456);
  EXPECT_EQ(sessions[0].width, 0.25);
  EXPECT_EQ(sessions[0].seconds, 0.75);
  EXPECT_EQ(sessions[0].states, (std::vector<std::string>{"busy", "moving", "late", "other kind"}));
  ASSERT_EQ(sessions[1].workers.size(), 2U);
  EXPECT_EQ(sessions[1].workers[0].name, "cpu 0");
  EXPECT_EQ(sessions[1].workers[0].gpu, -1);
  EXPECT_EQ(sessions[1].workers[1].gpu, 1);
  EXPECT_EQ(sessions[0].workers[0].shares.size(), 3U * 4);
  EXPECT_EQ(sessions[1].workers[1].shares.size(), 512U * 4);
  EXPECT_NEAR(sessions[1].share(1, 511, 0), 0.25, 0.5 / 255);
  EXPECT_NEAR(sessions[1].share(1, 511, 3), 0.65, 0.5 / 255);
  EXPECT_EQ(sessions[1].share(1, 511, 2), 0);
}

TEST(UseRows, SixtyFourWorkersTakeLessThanHalfAMegabyte) {
  support::TempFolder folder;
  SessionUse use = use_of(512, 0.5);
  while (use.states.size() < 9) use.states.push_back("more");
  use.workers.resize(64);
  for (WorkerUse& worker : use.workers) worker.shares.assign(512 * 9, 1.0 / 9);
  {
    auto log = sample::open(folder.path());
    log->note_use(use);
    (void)log->commit();
  }
  EXPECT_LT(base::file_size(folder / kStudyDb).value(), 500'000U);
}

TEST(UseRows, ADriverThatWasReplacedWritesNone) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  {
    sql::Database db(folder / kStudyDb, sql::Access::create);
    db.exec("UPDATE holder SET epoch = epoch + 1");
  }
  log->note_use(use_of(2, 0.5));
  EXPECT_THROW(log->commit(), base::Error);
  log.reset();
  EXPECT_TRUE(StudyReader(folder.path()).device_use().empty());
}

TEST(UseRows, AStudyThatBeginsAnewForgetsThem) {
  support::TempFolder folder;
  run_session(folder.path(), {4}, 0.5);
  {
    EventLog log(folder.path());
    log.begin_anew(sample::facts());
  }
  EXPECT_TRUE(StudyReader(folder.path()).device_use().empty());
}

TEST(UseRows, DamageIsSeen) {
  support::TempFolder folder;
  run_session(folder.path(), {4}, 0.5);
  for (const char* change :
       {"UPDATE device_use SET shares = substr(shares, 2)", "UPDATE device_use SET width = 5",
        "DELETE FROM device_use WHERE worker = 0"}) {
    {
      sql::Database db(folder / kStudyDb, sql::Access::create);
      db.exec(change);
    }
    EXPECT_THROW((void)StudyReader(folder.path()).device_use(), base::Error) << change;
    run_session(folder.path(), {4}, 0.5);
    sql::Database db(folder / kStudyDb, sql::Access::create);
    db.exec("DELETE FROM device_use WHERE epoch < (SELECT max(epoch) FROM device_use)");
  }
}

}  // namespace
}  // namespace hpo
