#include "hpo/search/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/random.h"

namespace hpo {
namespace {

using Taken = std::pair<double, std::uint64_t>;

Taken taken(Timeline& timeline) {
  auto due = timeline.due();
  if (!due) return {-1, 0};
  timeline.take(*due);
  return {due->time, due->trial};
}

TEST(Timeline, OutcomesAreDueInVirtualTimeNotAsTheyArrive) {
  Timeline timeline(Order::virtual_time);
  timeline.enter(0, 0);
  timeline.enter(1, 0);
  timeline.segment(0, 10);
  timeline.segment(1, 3);
  timeline.post(0);
  EXPECT_FALSE(timeline.due()) << "trial 1 can still bring an earlier one";
  timeline.post(1);
  EXPECT_EQ(taken(timeline), Taken(3, 1));
  EXPECT_FALSE(timeline.due()) << "trial 1 may go on at 3";
  timeline.segment(1, 8);
  EXPECT_EQ(taken(timeline), Taken(10, 0));
}

TEST(Timeline, TiesGoByTrialNumber) {
  Timeline timeline(Order::virtual_time);
  for (std::uint64_t trial : {2, 0, 1}) {
    timeline.enter(trial, 1);
    timeline.segment(trial, 4);
  }
  for (std::uint64_t trial : {1, 2, 0}) timeline.post(trial);
  for (std::uint64_t trial : {0, 1, 2}) {
    EXPECT_EQ(taken(timeline), Taken(5, trial));
    timeline.leave(trial);
  }
}

TEST(Timeline, ATrialMayRunAheadOfItsTurn) {
  Timeline timeline(Order::virtual_time);
  timeline.enter(0, 0);
  timeline.enter(1, 0);
  timeline.segment(1, 5);
  for (int i = 0; i < 3; ++i) {
    timeline.segment(0, 2);
    timeline.post(0);
  }
  EXPECT_EQ(taken(timeline), Taken(2, 0));
  EXPECT_EQ(taken(timeline), Taken(4, 0));
  EXPECT_FALSE(timeline.due());
  timeline.post(1);
  EXPECT_EQ(taken(timeline), Taken(5, 1));
  timeline.leave(1);
  EXPECT_EQ(taken(timeline), Taken(6, 0));
}

TEST(Timeline, AnEndWithoutWorkCostsNothing) {
  Timeline timeline(Order::virtual_time);
  timeline.enter(7, 3);
  timeline.post(7);
  EXPECT_EQ(taken(timeline), Taken(3, 7));
}

TEST(Timeline, LeavingAndRestartingDropWhatWasPosted) {
  Timeline timeline(Order::virtual_time);
  timeline.enter(0, 0);
  timeline.segment(0, 2);
  timeline.post(0);
  timeline.restart(0, 9);
  EXPECT_FALSE(timeline.due());
  timeline.segment(0, 1);
  timeline.post(0);
  EXPECT_EQ(taken(timeline), Taken(10, 0));
  timeline.leave(0);
  EXPECT_FALSE(timeline.due());
  EXPECT_EQ(timeline.lanes(), 0u);
}

TEST(Timeline, ArrivalTakesThemAsTheyCome) {
  Timeline timeline(Order::arrival);
  for (std::uint64_t trial : {0, 1, 2}) {
    timeline.enter(trial, 0);
    timeline.segment(trial, 10.0 * static_cast<double>(trial + 1));
  }
  for (std::uint64_t trial : {2, 0, 1}) timeline.post(trial);
  EXPECT_EQ(taken(timeline), Taken(1, 2));
  EXPECT_EQ(taken(timeline), Taken(2, 0));
  EXPECT_EQ(taken(timeline), Taken(3, 1));
}

/// A study of `kTrials` trials in `slots` slots, each with segments of random cost by content; in
/// real time the segments that are on end in an order drawn from `chance`. Returns the outcomes in
/// the order in which they were due.
std::vector<std::tuple<double, std::uint64_t, int>> simulate(std::uint64_t study,
                                                             std::uint64_t chance) {
  constexpr std::uint64_t kTrials = 30;
  base::Stream luck(chance, "real time");
  Timeline timeline(Order::virtual_time);
  std::vector<std::tuple<double, std::uint64_t, int>> order;
  std::vector<std::uint64_t> running;  // a segment is on in reality
  std::map<std::uint64_t, int> begun, done;
  std::uint64_t created = 0;
  double now = 0;
  auto length = [&](std::uint64_t trial) {
    return 1 + static_cast<int>(base::Stream(study, "length", trial).below(5));
  };
  auto begin = [&](std::uint64_t trial) {
    timeline.segment(
        trial, static_cast<double>(base::Stream(study, "cost", trial, begun[trial]++).below(6)));
    running.push_back(trial);
  };
  while (created < kTrials || timeline.lanes() > 0) {
    while (created < kTrials && timeline.lanes() < 1 + study % 6) {
      timeline.enter(created, now);
      begin(created++);
    }
    if (auto due = timeline.due()) {
      timeline.take(*due);
      now = due->time;
      int n = ++done[due->trial];
      order.emplace_back(due->time, due->trial, n);
      if (n == length(due->trial)) timeline.leave(due->trial);
      continue;
    }
    // Nothing is due: real time goes on, and some segment ends.
    std::size_t which = luck.below(running.size());
    std::uint64_t trial = running[which];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    timeline.post(trial);
    if (begun[trial] < length(trial)) begin(trial);
  }
  return order;
}

TEST(Timeline, EveryOrderOfCompletionGivesTheSameEvents) {
  for (std::uint64_t study = 0; study < 500; ++study) {
    auto expected = simulate(study, 0);
    EXPECT_TRUE(std::ranges::is_sorted(expected, {}, [](const auto& e) { return std::get<0>(e); }));
    for (std::uint64_t chance = 1; chance <= 6; ++chance)
      EXPECT_EQ(simulate(study, chance), expected) << study;
  }
}

}  // namespace
}  // namespace hpo
