// The course of a study, as pages and pictures read it.

#include "hpo/log/course.h"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "base/error.h"
#include "hpo/log/score_interval.h"
#include "hpo/log/study_reader.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

constexpr std::int64_t kAt = 1'795'000'000'000'000;

Event at(Event event, std::int64_t moment, std::int64_t began = 0) {
  event.real.at = moment;
  event.real.began = began;
  return event;
}

TEST(Course, HasReportsOfAllTrialsInTheOrderOfTheLog) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(sample::created(0, 0.1));
  log->append(sample::created(1, 0.2));
  log->append(sample::reported(1, 1, 0.5));
  log->append(sample::reported(0, 1, std::nan("")));
  log->append(sample::reported(0, 3, 0.75));
  log->commit();
  const ReportColumns reports = StudyReader(folder.path()).reports();
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports.trial, (std::vector<std::uint64_t>{1, 0, 0}));
  EXPECT_EQ(reports.step, (std::vector<std::int64_t>{1, 1, 3}));
  EXPECT_EQ(reports.value[0], 0.5);
  EXPECT_TRUE(std::isnan(reports.value[1]));
  EXPECT_EQ(reports.value[2], 0.75);
}

TEST(Course, HasTheSpanOfEachTrialThatEnded) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(at(sample::created(0, 0.1), kAt));
  log->append(at(sample::created(1, 0.2), kAt + 1));
  log->append(at(sample::ended(1, TrialState::complete), kAt + 900, kAt + 100));
  log->commit();
  const std::vector<TrialSpan> spans = StudyReader(folder.path()).spans();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].began, 0);
  EXPECT_EQ(spans[0].ended, 0);
  EXPECT_EQ(spans[1].began, kAt + 100);
  EXPECT_EQ(spans[1].ended, kAt + 900);
}

TEST(Course, HasOtherEventsAndCreationsWhereNetworksAreHandedOn) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(at({.trial = {}, .body = Noted{"by the way"}}, kAt));
  log->append(sample::created(0, 0.1));
  log->append(sample::created(1, 0.2));
  log->commit();
  const auto before = StudyReader(folder.path()).turns();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(std::get<Noted>(before[0].body).message, "by the way");
  EXPECT_EQ(before[0].at, kAt);
  EXPECT_FALSE(before[0].trial);
  for (std::uint64_t trial = 0; trial < 2; ++trial) {
    Event paused = sample::reported(trial, 2, 0.5);
    std::get<Reported>(paused.body).decision = Decision::pause;
    log->append(paused);
  }
  log->append({.trial = 1, .body = Replaced{0, 2, {{"lr", 0.3}}}});
  log->commit();
  const auto after = StudyReader(folder.path()).turns();
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after[0].trial, 0U);
  EXPECT_TRUE(std::holds_alternative<Created>(after[0].body));
  EXPECT_TRUE(std::holds_alternative<Created>(after[1].body));
  EXPECT_TRUE(std::holds_alternative<Noted>(after[2].body));
  EXPECT_EQ(std::get<Replaced>(after[3].body).step, 2);
}

TEST(Course, OfAFreshStudyIsEmpty) {
  support::TempFolder folder;
  (void)sample::open(folder.path());
  const StudyReader study(folder.path());
  EXPECT_EQ(study.reports().size(), 0U);
  EXPECT_TRUE(study.spans().empty());
  EXPECT_TRUE(study.turns().empty());
}

TEST(ScoreIntervals, ComeBackFromTheLogOfAJudgedStudy) {
  support::TempFolder folder;
  const std::vector<ScoreInterval> intervals{{"test.accuracy", 0.96, 0.99},
                                             {"test.loss", std::nan(""), std::nan("")}};
  auto log = sample::open(folder.path());
  log->append(sample::created(0, 0.1));
  log->append(sample::reported(0, 1, 0.5));
  log->append(sample::ended(0, TrialState::complete));
  log->note(kIntervalsFact, json_of(intervals));
  log->note(kVerdictFact, json_of(Verdict{.text = "better"}));
  log->commit();
  EXPECT_TRUE(StudyReader(folder.path()).intervals(0).empty()) << "no network was written";
  log->append({.trial = 0, .body = Exported{"best.safetensors", {}}});
  log->commit();
  const auto read = StudyReader(folder.path()).intervals(0);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0], intervals[0]);
  EXPECT_TRUE(std::isnan(read[1].low));
  EXPECT_TRUE(StudyReader(folder.path()).intervals(1).empty());
  for (const char* text :
       {"{}", "[{}]", "[{\"metric\": 3, \"low\": 0, \"high\": 1}]", "no json", ""})
    EXPECT_THROW((void)intervals_from_json(text), base::Error) << text;
}

}  // namespace
}  // namespace hpo
