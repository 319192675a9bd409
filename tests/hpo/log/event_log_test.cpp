#include "hpo/log/event_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/clock.h"
#include "base/error.h"
#include "hpo/log/records.h"
#include "hpo/log/sqlite.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using sample::created;
using sample::ended;
using sample::reported;

std::vector<std::string> texts_of(const std::vector<Event>& events) {
  std::vector<std::string> texts;
  for (const Event& e : events) {
    texts.push_back(std::to_string(e.vtime) + " " + (e.trial ? std::to_string(*e.trial) : "-") +
                    " " + std::string(kind_of(e.body)) + " " + payload_of(e.body));
  }
  return texts;
}

TEST(EventLog, AFreshFolderHasNoFactsAndMakesNoDatabase) {
  support::TempFolder folder;
  EventLog log(folder / "a/b");
  EXPECT_FALSE(log.facts());
  EXPECT_FALSE(std::filesystem::exists(folder / "a/b/study.db"));
}

TEST(EventLog, CommittedEventsComeBackInOrder) {
  support::TempFolder folder;
  std::vector<Event> events{created(0, 0.1), reported(0, 1, 0.5), created(1, 0.2, 1.5),
                            ended(0, TrialState::complete)};
  {
    auto log = sample::open(folder.path());
    for (const Event& e : events) log->append(e);
    EXPECT_EQ(log->pending(), 4u);
    EXPECT_EQ(texts_of(log->commit()), texts_of(events));
    EXPECT_EQ(log->pending(), 0u);
  }
  EXPECT_EQ(texts_of(sample::replayed(folder.path())), texts_of(events));
}

TEST(EventLog, NobodyMissesWhatFailedOrWasOverWithoutAReport) {
  const auto is_void = [](std::vector<Event> events) {
    support::TempFolder folder;
    {
      auto log = sample::open(folder.path());
      for (Event& e : events) log->append(std::move(e));
      log->commit();
    }
    return EventLog(folder.path()).is_void();
  };
  const Event failed = ended(0, TrialState::failed, Cause::error, "no such file");
  const Event over{
      .vtime = 2, .trial = {}, .body = Finished{Finish::first, "the first trial failed"}};
  EXPECT_TRUE(is_void({created(0, 0.1), failed}));
  EXPECT_FALSE(is_void({created(0, 0.1), created(1, 0.1), failed})) << "it may be hours at it";
  EXPECT_TRUE(is_void({created(0, 0.1), created(1, 0.1), failed, over}));
  const Event out_of_time{.vtime = 2, .trial = {}, .body = Finished{Finish::time, "out of time"}};
  EXPECT_FALSE(is_void({created(0, 0.1), created(1, 0.1), failed, out_of_time}))
      << "it can go on from its checkpoint";
  const Event again{.vtime = 2, .trial = 0, .body = Reopened{Cause::error}};
  EXPECT_FALSE(is_void({created(0, 0.1), failed, again})) << "it runs again";
  EXPECT_TRUE(is_void({created(0, 0.1), failed, again, failed}));
  EXPECT_FALSE(is_void({created(0, 0.1), reported(0, 1, 0.5), failed}));
  EXPECT_FALSE(is_void({created(0, 0.1), reported(0, 1, 0.5), failed, over}));
}

TEST(EventLog, BeginsAnewWithOtherFacts) {
  support::TempFolder folder;
  {
    auto log = sample::open(folder.path());
    log->append(created(0, 0.1));
    log->note("programs", "of before");
    log->commit();
  }
  StudyFacts other = sample::facts();
  other.resolved = "name: other\n";
  {
    EventLog log(folder.path());
    log.begin_anew(other);
    EXPECT_FALSE(log.noted("programs"));
    log.replay([](const Event&) { ADD_FAILURE() << "an event of before"; });
    EXPECT_EQ(log.epoch(), 2) << "a driver of before stays fenced off";
    log.append(created(0, 0.2));
    log.commit();
  }
  EXPECT_EQ(sample::replayed(folder.path()).size(), 1u);
  EXPECT_EQ(EventLog(folder.path()).facts()->resolved, other.resolved);
}

TEST(EventLog, WhatWasNotCommittedIsGone) {
  support::TempFolder folder;
  {
    auto log = sample::open(folder.path());
    log->append(created(0, 0.1));
    log->commit();
    log->append(reported(0, 1, 0.5));
    log->append(ended(0, TrialState::complete));
  }
  EXPECT_EQ(sample::replayed(folder.path()).size(), 1u);
  EventLog log(folder.path());
  log.replay(sample::no_events);
  EXPECT_EQ(log.trials().row(0).state, TrialState::running);
}

TEST(EventLog, FactsAreKept) {
  support::TempFolder folder;
  StudyFacts facts = sample::facts();
  facts.objective.take_best = true;
  facts.parameters = {"a \"quoted\" name", "b"};
  {
    EventLog log(folder.path());
    log.begin(facts);
  }
  EventLog log(folder.path());
  ASSERT_TRUE(log.facts());
  EXPECT_EQ(log.facts()->name, "digits");
  EXPECT_EQ(log.facts()->metric, "valid.accuracy");
  EXPECT_TRUE(log.facts()->objective.maximize);
  EXPECT_TRUE(log.facts()->objective.take_best);
  EXPECT_EQ(log.facts()->parameters, facts.parameters);
  EXPECT_EQ(log.facts()->resolved, facts.resolved);
}

TEST(EventLog, EachDriverHasAnEpochOfItsOwn) {
  support::TempFolder folder;
  for (std::int64_t session = 1; session <= 3; ++session)
    EXPECT_EQ(sample::open(folder.path())->epoch(), session);
}

TEST(EventLog, TheHolderMayHaveAnAddress) {
  support::TempFolder folder;
  (void)sample::open(folder.path());
  sql::Database db(folder / "study.db", sql::Access::create);
  EXPECT_FALSE(read_holder(db)->address.empty());
  Holder holder = read_holder(db).value();
  holder.address = "node7:41234";
  write_holder(db, holder, 1);
  EXPECT_EQ(read_holder(db)->address, "node7:41234");
  EXPECT_EQ(read_holder(db)->pid, ::getpid());
  // As a build left it that knew of no address.
  db.exec("ALTER TABLE holder DROP COLUMN address");
  EXPECT_EQ(read_holder(db)->address, "");
  EXPECT_EQ(sample::open(folder.path())->epoch(), 2);
  EXPECT_TRUE(db.has_column("holder", "address"));
}

TEST(EventLog, ASecondDriverIsRefusedByName) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  try {
    EventLog second(folder.path());
    FAIL() << "two drivers on one study";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::locked);
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find(" since 2"), std::string::npos) << error.what();
  }
  log->append(created(0, 0.1));
  EXPECT_EQ(log->commit().size(), 1u);
}

TEST(EventLog, ADriverThatWasReplacedCannotWrite) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(created(0, 0.1));
  log->commit();
  {
    sql::Database db(folder / "study.db", sql::Access::create);
    db.exec("UPDATE holder SET epoch = epoch + 1");
  }
  log->append(reported(0, 1, 0.5));
  try {
    log->commit();
    FAIL() << "a stale epoch wrote";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::locked);
  }
  EXPECT_THROW(log->commit(), base::Error) << "a log that failed must not go on";
  log.reset();
  EXPECT_EQ(sample::replayed(folder.path()).size(), 1u);
}

void expect_locked(EventLog& log, const std::string& words) {
  try {
    log.commit();
    ADD_FAILURE() << "it wrote";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::locked);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(EventLog, ADriverWhoseClaimIsGoneCannotWrite) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(created(0, 0.1));
  log->commit();
  std::filesystem::rename(folder / "study.claim-1", folder / "study.claim-2");
  log->append(reported(0, 1, 0.5));
  expect_locked(*log, "which took it over");
  log.reset();
  std::filesystem::remove(folder / "study.claim-2");
  EXPECT_EQ(sample::replayed(folder.path()).size(), 1u);
}

TEST(EventLog, AFencedDriverCannotWriteAndSaysSoAtTheNextCommit) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(created(0, 0.1));
  log->commit();
  log->fence(1);
  EXPECT_NO_THROW(log->commit()) << "its own epoch";
  log->fence(3);
  expect_locked(*log, "a driver of epoch 3");
  log->append(reported(0, 1, 0.5));
  expect_locked(*log, "a driver of epoch 3");
  log.reset();
  EXPECT_EQ(sample::replayed(folder.path()).size(), 1u);
}

TEST(EventLog, NotesAndTheFinishAreFacts) {
  support::TempFolder folder;
  {
    auto log = sample::open(folder.path());
    log->append(created(0, 0.1));
    log->append(ended(0, TrialState::complete));
    log->append({.vtime = 3, .body = Finished{Finish::trials, "1 trial"}});
    log->note("work", "{}");
    log->commit();
  }
  auto log = sample::open(folder.path());
  EXPECT_EQ(log->noted("work"), "{}");
  EXPECT_NE(log->noted("finished"), "");
  log->append({.vtime = 3, .body = Changed{"limits.trials", "1", "2"}});
  log->commit();
  EXPECT_EQ(log->noted("finished"), "") << "a study that was extended is not finished";
}

TEST(EventLog, AFactThatIsAsItWasIsNotWritten) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->note("work", "{}");
  (void)log->commit();
  sql::Database reader(folder / "study.db", sql::Access::read);
  const std::int64_t before = reader.query_integer("PRAGMA data_version");
  log->note("work", "{}");
  (void)log->commit();
  EXPECT_EQ(reader.query_integer("PRAGMA data_version"), before);
  log->note("work", "{\"tasks\":1}");
  (void)log->commit(base::Durability::cached);
  EXPECT_NE(reader.query_integer("PRAGMA data_version"), before);
}

TEST(EventLog, ValuesThatAreNoNumbersAreKept) {
  support::TempFolder folder;
  {
    auto log = sample::open(folder.path());
    double values[] = {std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity(), -0.0};
    for (std::uint64_t i = 0; i < 5; ++i) {
      log->append(created(i, 0.1));
      log->append(reported(i, 1, values[i]));
      log->append(ended(i, TrialState::complete));
    }
    log->commit();
  }
  auto events = sample::replayed(folder.path());
  EXPECT_TRUE(std::isnan(std::get<Reported>(events[1].body).value));
  EXPECT_TRUE(std::isnan(std::get<Reported>(events[4].body).value));
  EXPECT_EQ(std::get<Reported>(events[7].body).value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<Reported>(events[10].body).value, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(std::get<Reported>(events[13].body).value));
}

TEST(EventLog, WritesTwentyThousandReportsASecond) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  constexpr int kReports = 10'000;
  for (std::uint64_t trial = 0; trial < 8; ++trial) log->append(created(trial, 0.1));
  base::Moment start = base::now();
  for (int i = 0; i < kReports; ++i) {
    log->append(reported(static_cast<std::uint64_t>(i % 8), i / 8 + 1, 0.5));
    if (i % 100 == 99) log->commit();
  }
  log->commit();
  double rate = kReports / base::seconds_since(start);
  RecordProperty("reports_per_second", static_cast<int>(rate));
  // The promise is 20,000; the bound leaves room for a loaded machine and for sanitizers.
  EXPECT_GT(rate, 4'000);
}

}  // namespace
}  // namespace hpo
