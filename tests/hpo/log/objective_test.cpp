// Which trial is better where a study has bounds or several metrics.

#include "hpo/log/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hpo/log/study_reader.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Objective bounded() {
  return {.maximize = true,
          .subject_to = {{.metric = "weights", .max = 200},
                         {.metric = "valid.f1", .min = 0.5, .max = 0.9}}};
}

TrialRow row(std::uint64_t trial, TrialState state, double value, double weights) {
  return {.trial = trial,
          .state = state,
          .value = value,
          .metrics = {{"valid.accuracy", value}, {"weights", weights}}};
}

TEST(Bound, MeasuresTheDistanceInSharesOfTheBound) {
  const Bound range{.metric = "m", .min = 2, .max = 4};
  EXPECT_EQ(range.excess(3), 0);
  EXPECT_EQ(range.excess(4), 0);
  EXPECT_DOUBLE_EQ(range.excess(5), 0.25);
  EXPECT_DOUBLE_EQ(range.excess(1), 0.5);
  EXPECT_DOUBLE_EQ(range.beyond(5), 0.25);
  EXPECT_DOUBLE_EQ(range.beyond(3), -0.25);
  EXPECT_EQ(range.excess(NAN), kInfinite);
  EXPECT_EQ(range.excess(INFINITY), kInfinite);
  const Bound zero{.metric = "m", .max = 0};
  EXPECT_EQ(zero.excess(0.125), 0.125);
  EXPECT_DOUBLE_EQ((Bound{.metric = "m", .max = -2}.excess(-1)), 0.5);
  EXPECT_EQ(range.text(), "2 <= m <= 4");
  EXPECT_EQ(zero.text(), "m <= 0");
}

TEST(Objective, SumsWhatBreaksBounds) {
  const Objective objective = bounded();
  EXPECT_EQ(objective.violation({{"weights", 200}, {"valid.f1", 0.7}}), 0);
  EXPECT_DOUBLE_EQ(objective.violation({{"weights", 300}, {"valid.f1", 0.25}}), 1);
  EXPECT_EQ(objective.violation({{"weights", NAN}}), kInfinite);
  EXPECT_EQ(objective.violation({}), 0) << "nothing is known to be broken";
  EXPECT_EQ(objective.broken({{"weights", 300}, {"valid.f1", 0.7}}),
            "weights = 300, not weights <= 200");
  EXPECT_EQ(objective.broken({{"weights", 100}}), "");
}

TEST(Objective, ScoresLowerIsBetterInAllMetrics) {
  Objective objective = bounded();
  objective.others = {{"weights", false}, {"valid.f1", true}, {"never", false}};
  const Score score = objective.score(0.8, {{"weights", 300}, {"valid.f1", 0.7}});
  EXPECT_EQ(score.loss, -0.8);
  EXPECT_EQ(score.violation, 0.5);
  ASSERT_EQ(score.others.size(), 3u);
  EXPECT_EQ(score.others[0], 300);
  EXPECT_EQ(score.others[1], -0.7);
  EXPECT_TRUE(std::isnan(score.others[2]));
}

TEST(Objective, NoTrialThatBreaksABoundIsBestBesideOneThatBreaksNone) {
  const Objective objective = bounded();
  std::vector<TrialRow> rows{row(0, TrialState::complete, 0.99, 300),
                             row(1, TrialState::complete, 0.98, 250)};
  EXPECT_EQ(best_of(rows, objective)->trial, 1u) << "it breaks its bound by less";
  rows.push_back(row(2, TrialState::stopped, 0.3, 100));
  EXPECT_EQ(best_of(rows, objective)->trial, 2u) << "even a stopped one";
  rows.push_back(row(3, TrialState::complete, 0.2, 100));
  rows.push_back(row(4, TrialState::complete, 0.6, 200));
  rows.push_back(row(5, TrialState::complete, 0.6, 150));
  rows.push_back(row(6, TrialState::complete, NAN, 100));
  EXPECT_EQ(best_of(rows, objective)->trial, 4u) << "the first of equals";
  EXPECT_EQ(best_of({}, objective), nullptr);
}

TEST(Objective, TheBestReportOfATrialBreaksNoBound) {
  Objective objective = bounded();
  objective.take_best = true;
  TrialTable table(objective);
  table.apply(sample::created(0, 0.1));
  const double values[] = {0.5, 0.9, 0.6}, weights[] = {100, 300, 100};
  for (std::int64_t step = 1; step <= 3; ++step) {
    Event event = sample::reported(0, step, values[step - 1]);
    std::get<Reported>(event.body).metrics.emplace_back("weights", weights[step - 1]);
    table.apply(event);
  }
  EXPECT_EQ(table.row(0).value, 0.6);
}

TEST(Objective, IsKeptInTheLog) {
  support::TempFolder folder;
  StudyFacts facts = sample::facts();
  facts.objective = bounded();
  facts.objective.others = {{"weights", false}, {"valid.f1", true}};
  EventLog log(folder.path());
  log.begin(facts);
  log.replay(sample::no_events);
  const double values[] = {0.9, 0.5}, weights[] = {300, 100};
  for (std::uint64_t trial = 0; trial < 2; ++trial) {
    log.append(sample::created(trial, 0.1));
    Event event = sample::reported(trial, 1, values[trial]);
    std::get<Reported>(event.body).metrics.emplace_back("weights", weights[trial]);
    log.append(std::move(event));
    log.append(sample::ended(trial, TrialState::complete));
  }
  (void)log.commit();
  const StudyReader study(folder.path());
  EXPECT_EQ(study.objective().subject_to, facts.objective.subject_to);
  EXPECT_EQ(study.objective().others, facts.objective.others);
  EXPECT_EQ(study.best()->trial, 1u);
  EXPECT_EQ(log.trials().best()->trial, 1u);
}

}  // namespace
}  // namespace hpo
