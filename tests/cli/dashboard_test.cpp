// The twelve lines of a study that runs, and the chart in them.

#include "cli/dashboard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/utf8.h"
#include "cli/braille.h"

namespace cli {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Lines = std::vector<std::string>;

std::size_t columns_of(const std::string& text) {
  std::size_t columns = 0;
  for (const char c : text) columns += base::begins_character(c) ? 1 : 0;
  return columns;
}

TEST(Braille, RisesFromTheBottomToTheTop) {
  EXPECT_EQ(braille_chart({0, 1, 2, 3}, 2, 1, 0, 3), (Lines{"⡠⠊"}));
  EXPECT_EQ(braille_chart({0, 7}, 1, 2, 0, 7), (Lines{"⢸", "⡸"}));
  EXPECT_EQ(braille_chart({kNan, 5}, 1, 1, 0, 10), (Lines{"⠐"}));
  EXPECT_EQ(braille_chart({}, 2, 1, 0, 1), (Lines{"⠀⠀"}));
  EXPECT_EQ(braille_chart({4, 4}, 1, 1, 4, 4), (Lines{"⠒"}));
}

hpo::TrialRow row(std::uint64_t trial, hpo::TrialState state, std::optional<double> value) {
  return {.trial = trial, .state = state, .value = value, .params = {{"lr", 0.01}}, .epochs = 9};
}

Standing standing() {
  Standing now;
  now.name = "digits";
  now.metric = "valid.accuracy";
  now.maximize = true;
  now.counts = {.complete = 5, .running = 2, .stopped = 12, .failed = 1};
  now.trial_limit = 40;
  now.seconds = 90;
  now.session_ended = 18;
  now.session_seconds = 90;
  now.best = row(7, hpo::TrialState::complete, 0.97);
  now.since_best = 10;
  now.best_so_far = {kNan, 0.5, 0.9, 0.97};
  now.running = {{.trial = 18, .step = 9, .value = 0.91, .seconds = 3}, {.trial = 19}};
  now.devices = "2 cores, 75% busy";
  now.last = "trial 17 stopped after 3 epochs: 0.8";
  now.keys = "q quit";
  return now;
}

TEST(Dashboard, SaysInTwelveLinesHowAStudyStands) {
  const Lines lines = dashboard_lines(standing(), 100, 23, false);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], "digits: running, 18 of 40 trials in 1m 30s, about 1m 50s left");
  EXPECT_EQ(lines[1],
            "█████▒▒▒▒▒▒▒▒▒▒▒▒×▸▸····················"
            "  5 complete  12 stopped  1 failed  2 running");
  EXPECT_EQ(lines[2], "best     trial 7: valid.accuracy = 0.97, 10 trials ago");
  EXPECT_EQ(lines[3], "params   lr=0.01");
  EXPECT_TRUE(lines[4].ends_with(" 0.97")) << lines[4];
  EXPECT_TRUE(lines[6].ends_with(" 0.5")) << lines[6];
  EXPECT_EQ(lines[7], "running  18: step 9 0.91 3/s   19: step 0");
  EXPECT_EQ(lines[8], "");
  EXPECT_EQ(lines[9], "devices  2 cores, 75% busy");
  EXPECT_EQ(lines[10], "last     trial 17 stopped after 3 epochs: 0.8");
  EXPECT_EQ(lines[11], "keys     q quit");
}

TEST(Dashboard, FitsItsTerminal) {
  Standing now = standing();
  for (std::uint64_t i = 20; i < 60; ++i) now.running.push_back({.trial = i, .step = 1});
  now.last = std::string(300, 'x');
  for (const int width : {20, 40, 79, 200}) {
    for (const int rows : {1, 3, 8, 11, 50}) {
      const Lines lines = dashboard_lines(now, width, rows, true);
      EXPECT_EQ(lines.size(), std::min<std::size_t>(static_cast<std::size_t>(rows), 12));
      for (const std::string& line : dashboard_lines(now, width, rows, false))
        EXPECT_LE(columns_of(line), static_cast<std::size_t>(width)) << line;
    }
  }
  const Lines few = dashboard_lines(now, 79, 4, false);
  EXPECT_TRUE(few[0].starts_with("digits: running"));
  EXPECT_TRUE(few[2].starts_with("best"));
  EXPECT_TRUE(few[3].starts_with("keys"));
  const Lines all = dashboard_lines(now, 79, 50, false);
  EXPECT_NE(all[8].find("   and "), std::string::npos) << all[8];
}

TEST(Dashboard, ColorsOnlyWhereTheyAreWanted) {
  for (const std::string& line : dashboard_lines(standing(), 100, 23, false))
    EXPECT_EQ(line.find('\033'), std::string::npos);
  EXPECT_NE(dashboard_lines(standing(), 100, 23, true)[1].find("\033[32m█"), std::string::npos);
}

TEST(Dashboard, OfAStudyWithoutATrial) {
  Standing now;
  now.name = "new";
  const Lines lines = dashboard_lines(now, 100, 23, false);
  EXPECT_EQ(lines[0], "new: running, 0 trials in 0.0s");
  EXPECT_EQ(lines[2], "best     no trial has a value yet");
  EXPECT_EQ(lines[7], "running  none");
}

TEST(Dashboard, NamesShowNoControlCharacters) {
  Standing now = standing();
  now.name = "a\033[2Jb";
  now.last = "c\nd";
  for (const std::string& line : dashboard_lines(now, 100, 23, false)) {
    EXPECT_EQ(line.find('\033'), std::string::npos);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(DevicesLine, CountsWorkersOrNodes) {
  const std::vector<hpo::WorkerInfo> workers{{.name = "cpu 0", .busy = 3, .waiting = 1},
                                             {.name = "cpu 1", .busy = 3, .waiting = 1},
                                             {.name = "cuda 0", .busy = 1, .waiting = 1}};
  EXPECT_EQ(devices_line(workers, {}, false), "2 cores, 75% busy; 1 GPU worker, 50% busy");
  const std::vector<hpo::NodeInfo> nodes{
      {.node = "n1", .state = "working", .workers = 2, .there = 10, .busy = 10},
      {.node = "n2", .state = "working", .workers = 2, .there = 10, .busy = 20},
      {.node = "n3", .state = "lost", .workers = 2}};
  EXPECT_EQ(devices_line(workers, nodes, true), "2 nodes work, 1 is lost: 4 workers, 75% busy");
  const std::vector<hpo::NodeInfo> lending{
      {.node = "n1", .state = "working", .workers = 2, .there = 10, .busy = 10},
      {.node = "n2", .state = "working", .workers = 2, .lent = 2, .there = 10}};
  EXPECT_EQ(devices_line(workers, lending, true), "2 nodes work: 4 workers, 25% busy, 2 lent");
  EXPECT_EQ(devices_line({}, {}, true), "its trials run as programs");
}

TEST(EndedLine, SaysHowATrialEnded) {
  EXPECT_EQ(ended_line(row(3, hpo::TrialState::stopped, 0.5), false),
            "trial 3 stopped after 9 epochs: 0.5");
  EXPECT_EQ(ended_line(row(3, hpo::TrialState::complete, {}), true),
            "trial 3 is complete after 9 steps");
  hpo::TrialRow failed = row(4, hpo::TrialState::failed, {});
  failed.cause = hpo::Cause::error;
  failed.message = "no\nfile";
  EXPECT_EQ(ended_line(failed, false), "trial 4 failed (error): no\\nfile");
}

TEST(BestSeries, IsOfCompleteTrialsOnceThereAreSome) {
  BestSeries series({.maximize = true});
  series.add(row(0, hpo::TrialState::stopped, 0.9));
  EXPECT_EQ(series.values(), (std::vector<double>{0.9}));
  series.add(row(1, hpo::TrialState::failed, 0.99));
  series.add(row(2, hpo::TrialState::complete, 0.8));
  series.add(row(3, hpo::TrialState::complete, 0.7));
  ASSERT_EQ(series.values().size(), 4U);
  EXPECT_TRUE(std::isnan(series.values()[1]));
  EXPECT_EQ(series.values()[3], 0.8);
}

}  // namespace
}  // namespace cli
