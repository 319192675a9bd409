// Studies that end because what they were to find is found, or no longer expected.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/hpo/driver/sim.h"

namespace hpo {
namespace {

using sim::events_of;
using sim::session;
using sim::Work;

/// Without a limit each of its 40 trials ends complete, with the value x.
StudySpec whole_trials() {
  StudySpec spec = sim::study();
  spec.early_stop = {"none", {}};
  spec.limits.trials = 40;
  return spec;
}

class OneReport : public Work {
 public:
  explicit OneReport(std::uint64_t chance) : Work(chance) {
    epochs = 1;
    value = [](const Params& p, std::int64_t) { return std::get<double>(*p.find("x")); };
  }
};

std::vector<TrialRow> ended(const base::Path& folder) {
  std::vector<TrialRow> rows = StudyReader(folder).trials();
  std::erase_if(rows, [](const TrialRow& row) { return row.state != TrialState::complete; });
  return rows;
}

std::optional<Finished> run(const base::Path& folder, const StudySpec& spec,
                            std::uint64_t chance = 1, std::vector<Changed> changes = {}) {
  OneReport work(chance);
  Observer silent;
  return session(folder, spec, work, silent, std::move(changes)).finished;
}

TEST(Reached, TheFirstTrialAsGoodAsTheTargetIsTheLast) {
  support::TempFolder all, folder;
  StudySpec spec = whole_trials();
  run(all.path(), spec);
  spec.limits.target = 0.1;
  const auto finished = run(folder.path(), spec);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->why, Finish::target);
  const auto rows = ended(folder.path());
  EXPECT_LT(rows.size(), ended(all.path()).size());
  const auto good = [](const TrialRow& row) { return *row.value <= 0.1; };
  EXPECT_EQ(std::ranges::count_if(rows, good), 1);
  const TrialRow best = *StudyReader(folder.path()).best();
  EXPECT_TRUE(good(best));
  EXPECT_EQ(finished->message,
            base::cat("trial ", best.trial, " has ", base::format_double(*best.value),
                      ", limits.target is 0.1"));
  EXPECT_EQ(StudyReader(folder.path()).info().state, StudyState::finished);
}

TEST(Reached, AMaximumIsReachedFromBelow) {
  support::TempFolder folder;
  StudySpec spec = whole_trials();
  spec.metric.goal = Goal::maximize;
  spec.limits.target = 0.9;
  const auto finished = run(folder.path(), spec);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->why, Finish::target);
  EXPECT_GE(*StudyReader(folder.path()).best()->value, 0.9);
}

TEST(Reached, WhatBreaksABoundIsNoTarget) {
  support::TempFolder folder;
  StudySpec spec = whole_trials();
  spec.subject_to = {{.metric = "valid.loss", .min = 0.5}};
  spec.limits.target = 0.3;
  const auto finished = run(folder.path(), spec);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->why, Finish::trials);
}

struct Bomb : Observer {
  explicit Bomb(int ends) : left(ends) {}
  void trial_ended(const TrialRow&) override {
    if (--left < 0) throw sim::Killed();
  }
  int left;
};

/// Both limits, each alone.
std::vector<StudySpec> limited() {
  std::vector<StudySpec> specs(2, whole_trials());
  specs[0].limits.target = 0.1;
  specs[1].limits.patience = 6;
  return specs;
}

TEST(Reached, AnyOrderOfCompletionEndsAtTheSameEvent) {
  for (const StudySpec& spec : limited()) {
    support::TempFolder reference;
    EXPECT_NE(run(reference.path(), spec)->why, Finish::trials);
    for (std::uint64_t chance = 2; chance < 12; ++chance) {
      support::TempFolder folder;
      run(folder.path(), spec, chance);
      EXPECT_EQ(events_of(folder.path()), events_of(reference.path())) << chance;
    }
  }
}

TEST(Reached, ADriverThatDiesAtAnyEndGoesOnToTheSame) {
  for (const StudySpec& spec : limited()) {
    support::TempFolder reference;
    EXPECT_NE(run(reference.path(), spec)->why, Finish::trials);
    const auto ends = static_cast<int>(ended(reference.path()).size());
    ASSERT_GT(ends, 3);
    for (int left = 0; left < ends; ++left) {
      support::TempFolder folder;
      OneReport work(1);
      Bomb bomb(left);
      EXPECT_THROW(session(folder.path(), spec, work, bomb, {}, nullptr, base::Duration::zero()),
                   sim::Killed);
      run(folder.path(), spec, 2);
      EXPECT_EQ(events_of(folder.path()), events_of(reference.path())) << left;
    }
  }
}

TEST(Reached, AHarderTargetGoesOn) {
  support::TempFolder folder;
  StudySpec spec = whole_trials();
  spec.limits.target = 0.3;
  run(folder.path(), spec);
  const std::size_t before = ended(folder.path()).size();
  EXPECT_EQ(run(folder.path(), spec, 1, {{"limits.trials", "40", "50"}})->why, Finish::target)
      << "more trials are no reason: the target is reached";
  EXPECT_EQ(ended(folder.path()).size(), before);
  spec.limits.target = 0.01;
  const auto finished = run(folder.path(), spec, 1, {{"limits.target", "0.3", "0.01"}});
  ASSERT_TRUE(finished);
  EXPECT_GT(ended(folder.path()).size(), before);
}

TEST(Reached, SoManyTrialsWithoutANewBestEndTheStudy) {
  support::TempFolder folder;
  StudySpec spec = whole_trials();
  spec.parallel = 1;
  spec.limits.trials = 1000;
  spec.limits.patience = 7;
  const auto finished = run(folder.path(), spec);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->why, Finish::patience);
  const auto rows = ended(folder.path());
  const auto best =
      std::ranges::min_element(rows, {}, [](const TrialRow& row) { return row.value.value(); });
  EXPECT_EQ(rows.end() - best, 8) << "the best, and seven behind it";
  std::size_t longest = 0, since = 0;
  double least = INFINITY;
  for (auto row = rows.begin(); row <= best; ++row) {
    since = *row->value < least ? 0 : since + 1;
    least = std::min(least, *row->value);
    longest = std::max(longest, since);
  }
  EXPECT_LT(longest, 7U) << "it did not miss an earlier end";
  EXPECT_EQ(finished->message,
            base::cat("7 trials in a row were no better than trial ", best->trial));
}

TEST(Reached, StoppedTrialsCountAsNoBetterAndFailedOnesDoNot) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.parallel = 1;
  spec.limits.trials = 1000;
  spec.limits.patience = 10;
  Work work(1);
  work.at = [](const TrialContext& trial, std::int64_t) {
    if (trial.trial() % 5 == 4) throw TrialFailure(Cause::diverged, "");
  };
  Observer silent;
  const auto finished = session(folder.path(), spec, work, silent).finished;
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->why, Finish::patience);
  const auto rows = StudyReader(folder.path()).trials();
  double least = INFINITY;
  int since = 0;
  for (const TrialRow& row : rows) {
    if (row.state == TrialState::failed) continue;
    const bool better = row.state == TrialState::complete && *row.value < least;
    since = better ? 0 : since + 1;
    if (better) least = *row.value;
    EXPECT_TRUE(since < 10 || row.trial == rows.back().trial) << row.trial;
  }
  EXPECT_EQ(since, 10);
  EXPECT_GT(StudyReader(folder.path()).counts().stopped, 0);
  EXPECT_GT(StudyReader(folder.path()).counts().failed, 0);
}

/// With a rule that pauses, patience may be over before any trial has come to its end.
TEST(Reached, PatienceWithoutACompleteTrialLetsOneComeToItsEnd) {
  StudySpec spec = sim::study();
  spec.early_stop = {"asha",
                     {{"min", std::int64_t{1}}, {"eta", std::int64_t{3}}, {"promote", true}}};
  spec.limits.trials = 1000;
  spec.limits.patience = 5;
  support::TempFolder reference;
  for (std::uint64_t chance = 1; chance < 6; ++chance) {
    support::TempFolder folder;
    const base::Path& where = chance == 1 ? reference.path() : folder.path();
    Work work(chance);
    Observer silent;
    const auto finished = session(where, spec, work, silent).finished;
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->why, Finish::patience);
    EXPECT_NE(finished->message.find("trials in a row came to no end"), std::string::npos)
        << finished->message;
    EXPECT_EQ(StudyReader(where).counts().complete, 1);
    EXPECT_LT(StudyReader(where).counts().all(), 30) << "no more begin";
    EXPECT_EQ(StudyReader(where).best()->state, TrialState::complete);
    EXPECT_EQ(events_of(where), events_of(reference.path())) << chance;
  }
}

TEST(Reached, TrialsThatTheEndOfAStudyStopsDoNotCountAgain) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.early_stop = {"asha",
                     {{"min", std::int64_t{1}}, {"eta", std::int64_t{3}}, {"promote", true}}};
  spec.parallel = 1;
  spec.limits.trials = 20;
  Work work(1);
  session(folder.path(), spec, work);
  const auto waited = [&] {
    std::set<std::uint64_t> trials;
    for (const EventRow& event : StudyReader(folder.path()).events())
      if (event.kind == "reported" && event.payload().find("pause") != std::string::npos)
        trials.insert(event.trial.value());
    return trials;
  };
  ASSERT_GT(waited().size(), 10U);
  EventLog log(folder.path());
  log.replay([](const Event&) {});
  const TrialTable::Streak& streak = log.trials().longest_streak();
  EXPECT_GT(streak.trials, 3);
  EXPECT_LT(streak.trials, 20) << "each once, and not those that are records";
}

}  // namespace
}  // namespace hpo
