#include "hpo/log/trial_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "tests/hpo/log/sample.h"

namespace hpo {
namespace {

using sample::created;
using sample::ended;
using sample::reported;

TrialTable table_of(Objective objective, const std::vector<Event>& events) {
  TrialTable table(objective);
  for (const Event& event : events) table.apply(event);
  return table;
}

TEST(TrialTable, ALeaderThatRisesCostsNoSearchOfAll) {
  constexpr std::uint64_t kTrials = 30'000;
  TrialTable table({.maximize = true});
  const base::Moment begun = base::now();
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    table.apply(created(trial, 0.1));
    table.apply(reported(trial, 1, static_cast<double>(trial)));
    table.apply(ended(trial, TrialState::complete));
  }
  EXPECT_EQ(table.best()->trial, kTrials - 1);
  EXPECT_LT(base::seconds_since(begun), 5);
}

TEST(TrialTable, FollowsATrialThroughItsLife) {
  TrialTable table =
      table_of({.maximize = true}, {created(0, 0.1), reported(0, 1, 0.5), reported(0, 2, 0.4)});
  EXPECT_EQ(table.row(0).state, TrialState::running);
  EXPECT_EQ(table.counts(), (TrialCounts{.running = 1}));
  table.apply({.trial = 0, .body = Retried{Cause::killed, "signal 9"}});
  table.apply(ended(0, TrialState::complete));
  const TrialRow& row = table.row(0);
  EXPECT_EQ(row.value, 0.4);
  EXPECT_EQ(row.step, 2);
  EXPECT_EQ(row.attempts, 2);
  EXPECT_EQ(row.train_flops, 20);
  EXPECT_DOUBLE_EQ(row.seconds, 0.5);
  EXPECT_EQ(table.counts(), (TrialCounts{.complete = 1}));
}

TEST(TrialTable, TakesTheLastReportOrTheBest) {
  std::vector<Event> events{created(0, 0.1), reported(0, 1, 0.5), reported(0, 2, 0.9),
                            reported(0, 3, 0.7)};
  EXPECT_EQ(table_of({.maximize = true}, events).row(0).value, 0.7);
  EXPECT_EQ(table_of({.maximize = true, .take_best = true}, events).row(0).value, 0.9);
  EXPECT_EQ(table_of({.maximize = false, .take_best = true}, events).row(0).value, 0.5);
  EXPECT_EQ(table_of({.maximize = true, .take_best = true}, events).row(0).step, 3);
}

TEST(TrialTable, NaNIsNeverTheBestReport) {
  Event nan = reported(0, 2, std::nan(""));
  EXPECT_EQ(table_of({.take_best = true}, {created(0, 0.1), reported(0, 1, 0.5), nan}).row(0).value,
            0.5);
  EXPECT_EQ(table_of({.take_best = true}, {created(0, 0.1), nan, reported(0, 3, 0.5)}).row(0).value,
            0.5);
}

TEST(TrialTable, TheBestIsCompleteAndTheFirstOfEquals) {
  std::vector<Event> events;
  double values[] = {0.9, 0.7, 0.8, 0.8, std::nan("")};
  for (std::uint64_t i = 0; i < 5; ++i) {
    events.push_back(created(i, 0.1 * static_cast<double>(i + 1)));
    events.push_back(reported(i, 1, values[i]));
    events.push_back(ended(i, i == 0 ? TrialState::stopped : TrialState::complete));
  }
  EXPECT_EQ(table_of({.maximize = true}, events).best()->trial, 2u);
  EXPECT_EQ(table_of({.maximize = false}, events).best()->trial, 1u);
  EXPECT_EQ(table_of({.maximize = true}, events).leader()->trial, 0u);
}

TEST(TrialTable, AStoppedTrialIsBestOnlyWhenNoneIsComplete) {
  std::vector<Event> events{
      created(0, 0.1), reported(0, 1, 0.9),  ended(0, TrialState::stopped),
      created(1, 0.2), reported(1, 1, 0.99), ended(1, TrialState::failed, Cause::error)};
  EXPECT_EQ(table_of({.maximize = true}, events).best()->trial, 0u);
  EXPECT_EQ(table_of({.maximize = true}, {}).best(), nullptr);
}

/// What people see while a study runs is what it would choose if it ended now.
TEST(TrialTable, TheBestSoFarIsTheChoiceOfNow) {
  TrialTable table({.maximize = true});
  const auto expect = [&](std::uint64_t trial, double value) {
    ASSERT_NE(table.best_so_far(false), nullptr);
    EXPECT_EQ(table.best_so_far(false)->trial, trial);
    EXPECT_EQ(table.best_so_far(false)->value, value);
  };
  table.apply(created(0, 0.1));
  EXPECT_EQ(table.best_so_far(false), nullptr);
  table.apply(reported(0, 1, 0.9));
  expect(0, 0.9);  // nothing has ended
  table.apply(created(1, 0.2));
  table.apply(reported(1, 1, 0.95));
  expect(1, 0.95);
  table.apply(ended(0, TrialState::stopped));
  expect(0, 0.9);
  EXPECT_EQ(table.best_so_far(true)->trial, 1U) << "where nothing but time ends the study";
  table.apply(reported(1, 2, 0.6));
  table.apply(ended(1, TrialState::complete));
  expect(1, 0.6);  // a stopped trial is the best one only when none is complete
  table.apply(created(2, 0.3));
  table.apply(reported(2, 1, 0.99));
  expect(1, 0.6);
  table.apply({.body = Finished{Finish::trials, "3 trials"}});
  EXPECT_EQ(table.best_so_far(false), table.best());
}

TEST(TrialTable, TheBestSoFarGoesByTheReportThatTheStudyTakes) {
  const std::vector<Event> events{created(0, 0.1),
                                  reported(0, 1, 0.8),
                                  reported(0, 2, 0.4),
                                  ended(0, TrialState::complete),
                                  created(1, 0.2),
                                  reported(1, 1, 0.7),
                                  ended(1, TrialState::complete)};
  const TrialTable last = table_of({.maximize = true}, events);
  const TrialTable best = table_of({.maximize = true, .take_best = true}, events);
  EXPECT_EQ(last.best_so_far(false)->trial, 1U);
  EXPECT_EQ(best.best_so_far(false)->trial, 0U);
  EXPECT_EQ(best.best_so_far(false)->value, 0.8);
  EXPECT_EQ(last.best_so_far(false), last.best());
  EXPECT_EQ(best.best_so_far(false), best.best());
}

Event paused(std::uint64_t trial, std::int64_t step, double value) {
  Event event = reported(trial, step, value);
  std::get<Reported>(event.body).decision = Decision::pause;
  return event;
}

TEST(TrialTable, APausedTrialIsBestOnlyWhenNoneEnded) {
  std::vector<Event> events{created(0, 0.1), paused(0, 1, 0.9), created(1, 0.2),
                            reported(1, 1, 0.99)};
  EXPECT_EQ(table_of({.maximize = true}, events).best()->trial, 0u) << "trial 1 still runs";
  events.push_back(reported(1, 2, 0.5));
  events.push_back(ended(1, TrialState::stopped));
  EXPECT_EQ(table_of({.maximize = true}, events).best()->trial, 1u);
}

Event replaced(std::uint64_t trial, std::uint64_t source, std::int64_t step, double lr) {
  return {.trial = trial, .body = Replaced{.source = source, .step = step, .params = {{"lr", lr}}}};
}

TEST(TrialTable, APausedTrialWaitsUntilItIsResumed) {
  TrialTable table = table_of({}, {created(0, 0.1), paused(0, 1, 0.5)});
  EXPECT_EQ(table.counts(), (TrialCounts{.waiting = 1}));
  table.apply({.trial = 0, .body = Resumed{}});
  EXPECT_EQ(table.counts(), (TrialCounts{.running = 1}));
  table.apply(paused(0, 2, 0.4));
  table.apply(ended(0, TrialState::stopped));
  EXPECT_EQ(table.counts(), (TrialCounts{.stopped = 1}));
}

TEST(TrialTable, ANetworkThatIsTakenOverKeepsItsWholePast) {
  TrialTable table = table_of({}, {created(0, 0.1),
                                   created(1, 0.2),
                                   paused(0, 1, 0.5),
                                   paused(1, 1, 0.9),
                                   replaced(1, 0, 1, 0.12),
                                   {.trial = 0, .body = Resumed{}},
                                   {.trial = 1, .body = Resumed{}},
                                   paused(0, 2, 0.8),
                                   paused(1, 2, 0.3),
                                   replaced(0, 1, 2, 0.13)});
  const Lineage& lineage = table.lineage(0);
  ASSERT_EQ(lineage.size(), 3U);
  EXPECT_EQ(lineage[0].trial, 0U);
  EXPECT_EQ(lineage[0].network.epochs, 1);
  EXPECT_EQ(lineage[1].trial, 1U);
  EXPECT_EQ(lineage[1].from, 1);
  EXPECT_EQ(lineage[1].before, 0.9);
  EXPECT_EQ(lineage[1].value, 0.3);
  EXPECT_EQ(lineage[2].trial, 0U);
  EXPECT_EQ(lineage[2].from, 2);
  EXPECT_EQ(lineage[2].params, (Params{{"lr", 0.13}}));
  EXPECT_EQ(table.row(0).params, (Params{{"lr", 0.13}}));
  EXPECT_EQ(table.row(0).parent, 1U);
  EXPECT_EQ(table.lineage(1).size(), 2U) << "what became of its copy is not its own past";
  EXPECT_THROW(table.apply(replaced(0, 0, 2, 0.1)), base::Error);
  EXPECT_THROW(table.apply(replaced(0, 7, 2, 0.1)), base::Error);
}

/// What `leader` says, by looking at every row.
const TrialRow* searched_leader(const std::vector<TrialRow>& rows, const Objective& objective) {
  const TrialRow* leader = nullptr;
  for (const TrialRow& row : rows) {
    if (row.state == TrialState::failed || !row.value || std::isnan(*row.value)) continue;
    if (!leader || is_better(objective.score(row), objective.score(*leader))) leader = &row;
  }
  return leader;
}

TEST(TrialTable, WhatTimeCutOffCountsByWhatItHadReached) {
  TrialTable table = table_of(
      {.maximize = true},
      {created(0, 0.1), reported(0, 1, 0.5), ended(0, TrialState::complete), created(1, 0.2),
       reported(1, 1, 0.9), ended(1, TrialState::stopped), created(2, 0.3), reported(2, 1, 0.95),
       created(3, 0.4), paused(3, 1, 0.8), created(4, 0.5), reported(4, 1, 0.99)});
  table.apply(ended(4, TrialState::failed, Cause::error));
  EXPECT_EQ(table.best()->trial, 0u);
  table.apply({.body = Finished{Finish::time, "limits.time is over"}});
  EXPECT_EQ(table.best()->trial, 2u);
  table.apply({.trial = 2, .body = Exported{"best.safetensors", {}}});
  EXPECT_EQ(table.best()->trial, 2u);
  table.apply({.body = Changed{"limits.time", "1s", "2s"}});
  EXPECT_EQ(table.best()->trial, 0u) << "they go on";
  table.apply({.body = Finished{Finish::trials, "5 trials"}});
  EXPECT_EQ(table.best()->trial, 0u);
}

TEST(TrialTable, BestAndLeaderAreKnownAfterEachEvent) {
  const Objective objectives[] = {{},
                                  {.maximize = true, .take_best = true},
                                  {.subject_to = {{.metric = "train.loss", .max = 2}}}};
  for (std::uint64_t round = 0; round < 30; ++round) {
    base::Stream random(round, "events");
    TrialTable table(objectives[round % 3]);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t trials = table.rows().size(), trial = random.below(trials + 1);
      if (trial == trials) {
        table.apply(created(trial, 0.1));
        continue;
      }
      const TrialState state = table.row(trial).state;
      if (state == TrialState::failed) {
        table.apply({.trial = trial, .body = Reopened{}});
        table.apply({.trial = trial, .body = Resumed{}});
      } else if (state != TrialState::running && state != TrialState::waiting) {
        continue;
      }
      const auto value = static_cast<double>(random.below(6));
      constexpr TrialState kEnds[] = {TrialState::complete, TrialState::stopped,
                                      TrialState::failed};
      const std::uint64_t what = random.below(8);
      if (what < 3) {
        table.apply(ended(trial, kEnds[what]));
      } else if (state == TrialState::waiting) {
        table.apply({.trial = trial, .body = Resumed{}});
      } else {
        Event event = reported(trial, i + 1, value == 5 ? std::nan("") : value);
        auto& report = std::get<Reported>(event.body);
        report.metrics.back().second = static_cast<double>(random.below(5));
        report.decision = what == 3 ? Decision::pause : Decision::go;
        table.apply(event);
      }
      ASSERT_EQ(table.best(), best_of(table.rows(), table.objective())) << round << ' ' << i;
      ASSERT_EQ(table.leader(), searched_leader(table.rows(), table.objective()))
          << round << ' ' << i;
      const TrialRow* best = table.best();
      const bool is_over = best != nullptr && (best->state == TrialState::complete ||
                                               best->state == TrialState::stopped);
      ASSERT_EQ(table.best_so_far(false), is_over ? best : table.leader()) << round << ' ' << i;
      ASSERT_EQ(table.best_so_far(true), table.leader()) << round << ' ' << i;
    }
  }
}

Event reopened(std::uint64_t trial, Cause cause) {
  return {.vtime = 3, .trial = trial, .body = Reopened{cause}};
}

TEST(TrialTable, WhoRunsAgainKeepsWhatItHadButItsFailure) {
  TrialTable table = table_of({.maximize = true, .take_best = true},
                              {created(0, 0.1), reported(0, 1, 0.9), reported(0, 2, 0.4)});
  table.apply({.trial = 0, .body = Retried{Cause::killed, "signal 9"}});
  table.apply(ended(0, TrialState::failed, Cause::killed, "signal 9"));
  EXPECT_EQ(table.leader(), nullptr);
  table.apply(reopened(0, Cause::killed));
  const TrialRow& row = table.row(0);
  EXPECT_EQ(row.state, TrialState::waiting);
  EXPECT_EQ(row.cause, Cause::none);
  EXPECT_EQ(row.message, "");
  EXPECT_EQ(row.attempts, 1);
  EXPECT_EQ(row.value, 0.9);
  EXPECT_EQ(row.step, 2);
  EXPECT_DOUBLE_EQ(row.seconds, 0.5);
  EXPECT_EQ(table.counts(), (TrialCounts{.waiting = 1}));
  EXPECT_EQ(table.leader(), &row);
  table.apply({.trial = 0, .body = Resumed{}});
  table.apply(reported(0, 3, 0.5));
  table.apply(ended(0, TrialState::complete));
  EXPECT_EQ(table.best()->value, 0.9) << "the best report, whichever attempt made it";
  EXPECT_EQ(table.counts(), (TrialCounts{.complete = 1}));
}

TEST(TrialTable, OfAStreakWhoRunsAgainCountsWithItsEnd) {
  TrialTable table({.maximize = true});
  for (std::uint64_t trial = 0; trial < 3; ++trial) {
    table.apply(created(trial, 0.1));
    table.apply(reported(trial, 1, trial == 0 ? 0.5 : 0.4));
  }
  table.apply(ended(0, TrialState::complete));
  table.apply(ended(1, TrialState::failed, Cause::lost));
  table.apply(ended(2, TrialState::complete));
  EXPECT_EQ(table.longest_streak().trials, 1);
  table.apply(reopened(1, Cause::lost));
  EXPECT_EQ(table.longest_streak().trials, 1);
  table.apply(ended(1, TrialState::stopped));
  EXPECT_EQ(table.longest_streak().trials, 2);
}

TEST(TrialTable, RefusesEventsThatDoNotFit) {
  TrialTable table = table_of({}, {created(0, 0.1), ended(0, TrialState::complete)});
  EXPECT_THROW(table.apply(reported(0, 1, 1)), base::Error);
  EXPECT_THROW(table.apply(reported(1, 1, 1)), base::Error);
  EXPECT_THROW(table.apply(created(2, 0.1)), base::Error);
  EXPECT_THROW(table.apply(ended(0, TrialState::failed)), base::Error);
  EXPECT_THROW(table.apply(reopened(0, Cause::lost)), base::Error) << "it is complete";
  EXPECT_THROW(table.apply(reopened(1, Cause::lost)), base::Error);
}

}  // namespace
}  // namespace hpo
