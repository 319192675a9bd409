// Sessions in which trials that failed run again.

#include <gtest/gtest.h>

#include <map>

#include "tests/hpo/driver/sim.h"
#include "tests/hpo/stopping/variants.h"

namespace hpo {
namespace {

using sim::events_of;
using sim::ReportBomb;
using sim::session;
using sim::Work;

constexpr base::Duration kAtOnce{0};

/// A quarter of the trials is lost at epoch 2, a quarter diverges at epoch 3.
Work failing(std::uint64_t chance, base::Path folder = {}) {
  Work work(chance, std::move(folder));
  work.at = [](const TrialContext& trial, std::int64_t epoch) {
    if (epoch == 2 && trial.trial() % 4 == 1) throw TrialFailure(Cause::lost, "its node is gone");
    if (epoch == 3 && trial.trial() % 4 == 3) throw TrialFailure(Cause::diverged, "loss is nan");
  };
  return work;
}

struct Notes : Observer {
  void note(std::string_view line) override { text += base::cat(line, "\n"); }
  std::string text;
};

std::string again(const base::Path& folder, const StudySpec& spec, Work& work, Cause cause) {
  Notes notes;
  (void)session(folder, spec, work, notes, {}, nullptr, kAtOnce,
                {.executor = rt::Executor::sequential}, cause);
  return notes.text;
}

class Reopening : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static StudySpec study() {
    StudySpec spec = sim::study(4);
    spec.early_stop = GetParam().rule;
    if (spec.early_stop.options.contains("trials"))
      spec.early_stop.options.set("trials", std::int64_t{8});
    spec.method = {"tpe", {{"startup", std::int64_t{4}}, {"candidates", std::int64_t{24}}}};
    spec.retry.max = 0;
    spec.limits.trials = 24;
    return spec;
  }
};

std::map<Cause, int> failures(const base::Path& folder) {
  std::map<Cause, int> by_cause;
  for (const TrialRow& row : StudyReader(folder).trials())
    if (row.state == TrialState::failed) ++by_cause[row.cause];
  return by_cause;
}

/// Each step of a trial once, in order.
void expect_no_report_twice(const base::Path& folder) {
  std::map<std::uint64_t, std::int64_t> last;
  for (const EventRow& event : StudyReader(folder).events()) {
    const auto* report = std::get_if<Reported>(&event.body);
    if (report == nullptr) continue;
    EXPECT_GT(report->step, last[*event.trial]) << "trial " << *event.trial;
    last[*event.trial] = report->step;
  }
}

TEST_P(Reopening, GoesOnWithWhatFailedHoweverOftenItDied) {
  support::TempFolder folder, other;
  std::vector<std::string> before, after;
  for (const std::uint64_t chance : {1U, 2U}) {
    const base::Path& at = chance == 1 ? folder.path() : other.path();
    Work first = failing(chance, at);
    (void)session(at, study(), first);
    if (chance == 1) before = events_of(at);
    ASSERT_EQ(events_of(at), before);
  }
  const auto failed = failures(folder.path());
  ASSERT_GT(failed.at(Cause::lost), 1);

  Work whole(3, folder.path());
  EXPECT_EQ(again(folder.path(), study(), whole, Cause::lost),
            base::cat("running ", failed.at(Cause::lost), " failed trials (lost) again\n"));
  after = events_of(folder.path());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << "the past stays";
  expect_no_report_twice(folder.path());
  const StudyReader reader(folder.path());
  EXPECT_EQ(failures(folder.path()).count(Cause::lost), 0U);
  EXPECT_EQ(failures(folder.path())[Cause::diverged], failures(other.path())[Cause::diverged]);
  EXPECT_EQ(reader.counts().all(), 24);
  EXPECT_EQ(reader.info().state, StudyState::finished);
  EXPECT_EQ(reader.counts().waiting, 0);

  bool retries = true;
  int deaths = 0;
  for (int reports = 1; reports < 40; reports += 4) {
    ReportBomb bomb(reports);
    Work doomed(static_cast<std::uint64_t>(reports), other.path());
    try {
      session(other.path(), study(), doomed, bomb, {}, nullptr, kAtOnce,
              {.executor = rt::Executor::sequential},
              std::exchange(retries, false) ? std::optional(Cause::lost) : std::nullopt);
      break;
    } catch (const sim::Killed&) {
      ++deaths;
    }
  }
  EXPECT_GT(deaths, 0);
  EXPECT_EQ(events_of(other.path()), after);
}

INSTANTIATE_TEST_SUITE_P(Rules, Reopening, testing::ValuesIn(rule_variants({{"worst", 2.0}})),
                         [](const auto& test) { return test.param.name; });

TEST(Reopened, BeginsBehindItsReportsAndMayFailAgain) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.early_stop = {"none", {}};
  spec.retry.max = 0;
  Work first = failing(1), same = failing(1), good(1);
  session(folder.path(), spec, first);
  const auto failed = failures(folder.path());
  EXPECT_EQ(again(folder.path(), spec, same, Cause::none), "running 10 failed trials again\n");
  EXPECT_EQ(failures(folder.path()), failed) << "as before";
  EXPECT_EQ(same.measured, 0);
  EXPECT_EQ(again(folder.path(), spec, good, Cause::none), "running 10 failed trials again\n");
  EXPECT_EQ(StudyReader(folder.path()).counts(), (TrialCounts{.complete = 20}));
  EXPECT_EQ(good.measured, 5 * 8 + 5 * 7) << "the epochs behind their reports";
  EXPECT_EQ(again(folder.path(), spec, good, Cause::none), "no failed trial to run again\n");
  EXPECT_EQ(StudyReader(folder.path()).trial(1)->attempts, 1);
}

TEST(Reopened, NobodyIsWhereTheStudyIsOverAllTheSame) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.early_stop = {"none", {}};
  spec.retry.max = 0;
  spec.limits.target = 5;
  Work first(1, folder.path()), more(2, folder.path());
  first.at = [](const TrialContext& trial, std::int64_t epoch) {
    if (trial.trial() == 1 && epoch == 1) throw TrialFailure(Cause::lost, "its node is gone");
  };
  session(folder.path(), spec, first);
  const auto before = events_of(folder.path());
  const std::string said = again(folder.path(), spec, more, Cause::none);
  EXPECT_TRUE(said.starts_with("failed trials stay as they are: trial ")) << said;
  EXPECT_EQ(events_of(folder.path()), before);
  EXPECT_EQ(StudyReader(folder.path()).counts().failed, 1);
}

TEST(Reopened, AfterTheFirstTrialsFailureItIsTheFirstAgain) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.parallel = 1;
  Work broken(1), still(1), good(1);
  const auto breaks = [](const TrialContext&, std::int64_t) {
    throw TrialFailure(Cause::error, "no such file");
  };
  broken.at = still.at = breaks;
  EXPECT_EQ(session(folder.path(), spec, broken).finished->why, Finish::first);
  EXPECT_EQ(again(folder.path(), spec, still, Cause::none), "running 1 failed trial again\n");
  EXPECT_EQ(StudyReader(folder.path()).info().state, StudyState::failed);
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 1) << "no other one is tried";
  EXPECT_EQ(again(folder.path(), spec, good, Cause::error),
            "running 1 failed trial (error) again\n");
  EXPECT_EQ(StudyReader(folder.path()).counts().failed, 0);
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 20);
}

/// A session on a file that says `retry` otherwise than the log.
std::string with_other_retry(const base::Path& folder, const StudySpec& spec, Work& work) {
  Notes notes;
  (void)session(folder, spec, work, notes, {{"retry", "max: 0", "another one"}}, nullptr, kAtOnce);
  return notes.text;
}

std::vector<std::int64_t> attempts_of_lost(const base::Path& folder) {
  std::vector<std::int64_t> attempts;
  for (const TrialRow& row : StudyReader(folder).trials())
    if (row.trial % 4 == 1) attempts.push_back(row.attempts);
  return attempts;
}

TEST(Reopened, WhereAPolicyThatCameLaterSaysSo) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.early_stop = {"none", {}};
  spec.retry.max = 0;
  Work first = failing(1), same = failing(1), good(1);
  session(folder.path(), spec, first);
  spec.retry = {.max = 2, .on = {Cause::lost}};
  const std::string said = with_other_retry(folder.path(), spec, same);
  EXPECT_NE(said.find("running 5 failed trials again: retry in the study file now covers them\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(attempts_of_lost(folder.path()), (std::vector<std::int64_t>(5, 3)))
      << "the first one counts";
  EXPECT_EQ(failures(folder.path()).at(Cause::diverged), 5);
  EXPECT_EQ(with_other_retry(folder.path(), spec, good), "retry is now another one (was max: 0)\n")
      << "none is left";
  EXPECT_EQ(attempts_of_lost(folder.path()), (std::vector<std::int64_t>(5, 3)));
  spec.retry.max = 3;
  (void)with_other_retry(folder.path(), spec, good);
  EXPECT_EQ(failures(folder.path()).count(Cause::lost), 0U);
  EXPECT_EQ(attempts_of_lost(folder.path()), (std::vector<std::int64_t>(5, 4)));
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 20) << "each counts once";
  expect_no_report_twice(folder.path());
}

TEST(Reopened, ByALaterPolicyIsTheSameHoweverOftenItDied) {
  support::TempFolder folder, other;
  StudySpec spec = sim::study();
  spec.retry.max = 0;
  for (const base::Path& at : {folder.path(), other.path()}) {
    Work first = failing(1, at);
    session(at, spec, first);
  }
  spec.retry = {.max = 2, .on = {Cause::lost, Cause::diverged}};
  // What was lost is there again, what diverged still does.
  const auto diverges = [](const TrialContext& trial, std::int64_t epoch) {
    if (epoch == 3 && trial.trial() % 4 == 3) throw TrialFailure(Cause::diverged, "loss is nan");
  };
  Work whole(2, folder.path());
  whole.at = diverges;
  (void)with_other_retry(folder.path(), spec, whole);
  bool changes = true;
  int deaths = 0;
  for (int reports = 1; reports < 40; reports += 3) {
    ReportBomb bomb(reports);
    Work doomed(static_cast<std::uint64_t>(reports), other.path());
    doomed.at = diverges;
    try {
      std::vector<Changed> now;
      if (std::exchange(changes, false)) now.push_back({"retry", "max: 0", "another one"});
      session(other.path(), spec, doomed, bomb, std::move(now), nullptr, kAtOnce);
      break;
    } catch (const sim::Killed&) {
      ++deaths;
    }
  }
  EXPECT_GT(deaths, 0);
  EXPECT_EQ(events_of(other.path()), events_of(folder.path()));
}

TEST(Reopened, WhatRanBesideTheFirstFailureWaitsForNobodyAndGoesOn) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.parallel = 3;
  Work broken(1), good(1);
  broken.at = [](const TrialContext&, std::int64_t) {
    throw TrialFailure(Cause::error, "no such file");
  };
  EXPECT_EQ(session(folder.path(), spec, broken).finished->why, Finish::first);
  EXPECT_EQ(StudyReader(folder.path()).counts(), (TrialCounts{.failed = 3}));
  EXPECT_EQ(StudyReader(folder.path()).trial(2)->message, kEndedWithFirst);
  session(folder.path(), spec, good);
  const StudyReader reader(folder.path());
  EXPECT_EQ(reader.counts().all(), 20);
  EXPECT_EQ(reader.counts().failed, 1) << "the first one alone";
  EXPECT_EQ(reader.trial(0)->state, TrialState::failed);
  EXPECT_EQ(reader.trial(1)->attempts, 1);
}

}  // namespace
}  // namespace hpo
