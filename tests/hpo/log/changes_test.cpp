#include "hpo/log/changes.h"

#include <gtest/gtest.h>

#include "hpo/log/event_log.h"
#include "hpo/log/study_reader.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

/// A study whose driver is this process.
class ChangesTest : public ::testing::Test {
 protected:
  ChangesTest() {
    log_.begin({.name = "a",
                .metric = "loss",
                .objective = {},
                .parameters = {"lr"},
                .resolved = "name: a\n"});
    log_.replay([](const Event&) {});
    log_.commit();
  }

  void add(std::uint64_t trial, EventBody body, std::int64_t at = 5'000'000) {
    log_.append({.vtime = 1, .trial = trial, .body = std::move(body), .real = {.at = at}});
  }

  support::TempFolder folder_;
  EventLog log_{folder_.path()};
};

TEST_F(ChangesTest, NothingCameBehindTheNewestEvent) {
  add(0, Created{.params = {{"lr", 0.1}}});
  log_.commit();
  const StudyReader study(folder_.path());
  const Changes none = study.changes_since(study.position());
  EXPECT_EQ(none.position, study.position());
  EXPECT_TRUE(none.trials.empty());
  EXPECT_EQ(none.reports.size(), 0u);
}

TEST_F(ChangesTest, OnlyWhatCameIsRead) {
  add(0, Created{.params = {{"lr", 0.1}}});
  add(0, Reported{.step = 1, .epochs = 1, .value = 0.5});
  log_.commit();
  const StudyReader study(folder_.path());
  const std::int64_t before = study.position();
  add(1, Created{.params = {{"lr", 0.2}}});
  add(1, Reported{.step = 1, .epochs = 1, .value = 0.25});
  add(1, Ended{TrialState::complete});
  log_.commit();
  const Changes came = study.changes_since(before);
  EXPECT_EQ(came.position, before + 3);
  ASSERT_EQ(came.trials.size(), 1u);
  EXPECT_EQ(came.trials[0].trial, 1u);
  EXPECT_EQ(came.trials[0].state, TrialState::complete);
  EXPECT_EQ(came.reports.trial, std::vector<std::uint64_t>{1});
  EXPECT_EQ(came.reports.value, std::vector<double>{0.25});
  EXPECT_EQ(came.seq, std::vector<std::int64_t>{before + 2});
  ASSERT_EQ(came.spans.count(1), 1u);
  EXPECT_EQ(came.spans.at(1).ended, 5'000'000);
  EXPECT_EQ(study.changes_since(0).trials.size(), 2u);
}

TEST_F(ChangesTest, AReaderSeesThatSomebodyWrote) {
  StudyReader study(folder_.path());
  EXPECT_TRUE(study.moved());
  EXPECT_FALSE(study.moved());
  add(0, Created{.params = {{"lr", 0.1}}});
  EXPECT_FALSE(study.moved());
  log_.commit();
  EXPECT_TRUE(study.moved());
  EXPECT_FALSE(study.moved());
}

TEST_F(ChangesTest, AHeldStudyStandsStill) {
  const StudyReader study(folder_.path());
  const std::int64_t before = study.position();
  {
    const StudyReader::Held held(study);
    EXPECT_EQ(study.position(), before);
    add(0, Created{.params = {{"lr", 0.1}}});
    log_.commit();
    EXPECT_EQ(study.position(), before);
    EXPECT_EQ(study.reports().size(), 0u);  // a snapshot inside of the held one
    EXPECT_TRUE(study.trials().empty());
  }
  EXPECT_EQ(study.position(), before + 1);
  EXPECT_EQ(study.trials().size(), 1u);
}

}  // namespace
}  // namespace hpo
