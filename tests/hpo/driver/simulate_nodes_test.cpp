// Whole studies on simulated nodes.

#include "hpo/driver/planning/simulate_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "hpo/driver/networks/loaded_study.h"
#include "runtime/instance.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

rt::Platform nodes_of(int count, int workers) {
  rt::Platform platform{.name = "eight nodes",
                        .cpu = {.count = workers,
                                .peak = 1e9,
                                .half = 1,
                                .launch = 1e-7,
                                .bandwidth = 1e9,
                                .memory = 8'000'000'000},
                        .gpu = {}};
  platform.nodes = {.count = count, .link = {1e-4, 1e9}, .levels = {}};
  return platform;
}

StudySpec programs(const std::string& more) {
  return parse_study(
      "name: naps\ncommand: [sleep, $nap]\nmetric: {name: exit, goal: minimize}\n" + more,
      "naps.yaml", "/");
}

std::map<int, NodesCase> by_count(const NodesForecast& forecast) {
  std::map<int, NodesCase> cases;
  for (const NodesCase& one : forecast.cases) cases[one.count] = one;
  return cases;
}

class SimulateNodes : public ::testing::Test {
 protected:
  NodesForecast play(const StudySpec& study, const rt::Platform& platform,
                     const ProgramTime& time = {.parameter = "nap"}) {
    return simulate_nodes({.study = study, .loaded = nullptr, .program = time}, platform, runtime_);
  }

  rt::Runtime runtime_{{.executor = rt::Executor::sequential}};
};

const std::string kEqual =
    "method: random\nparallel: 8\nlimits: {trials: 64}\nparameters: {nap: {min: 1.0, max: 2.0}}\n";

TEST_F(SimulateNodes, EqualTrialsTakeTurnsUntilThereAreNoMoreSlots) {
  const NodesForecast forecast = play(programs(kEqual), nodes_of(8, 2), {.seconds = 1});
  const auto cases = by_count(forecast);
  ASSERT_EQ(cases.size(), 4U);
  EXPECT_NEAR(cases.at(1).seconds, 32, 0.1);
  EXPECT_NEAR(cases.at(2).seconds, 16, 0.1);
  EXPECT_NEAR(cases.at(4).seconds, 8, 0.1);
  EXPECT_NEAR(cases.at(8).seconds, 8, 0.1) << "eight slots of the search keep eight workers busy";
  EXPECT_EQ(cases.at(1).limit, "nodes");
  EXPECT_EQ(cases.at(8).limit, "parallel");
  EXPECT_EQ(forecast.useful_nodes, 4);
  EXPECT_EQ(cases.at(8).trials, 64);
  const SlotTime& use = cases.at(8).use;
  EXPECT_NEAR(use.busy, 64, 0.1);
  EXPECT_NEAR(use.busy + use.transfers + use.rule + use.end + use.parallel + use.lost, use.slots,
              1e-6);
}

TEST_F(SimulateNodes, ALongTrialMakesTheOthersWait) {
  const StudySpec study = programs(
      "method: grid\nparallel: 16\nparameters: {nap: {values: [1.0, 1.1, 1.2, 1.3, 1.4, 9.0]}}\n");
  const auto cases = by_count(play(study, nodes_of(4, 2)));
  EXPECT_NEAR(cases.at(4).seconds, 9, 0.1);
  EXPECT_EQ(cases.at(4).limit, "stragglers");
}

TEST_F(SimulateNodes, ARuleStopsPrograms) {
  const std::string asha = "early_stop: {type: asha, min: 1, max: 9, eta: 3}\n";
  const StudySpec stopped = programs(kEqual + asha);
  const auto with = by_count(play(stopped, nodes_of(1, 2)));
  const auto without = by_count(play(programs(kEqual), nodes_of(1, 2)));
  EXPECT_EQ(with.at(1).trials, 64);
  EXPECT_LT(with.at(1).seconds, 0.6 * without.at(1).seconds);
}

TEST_F(SimulateNodes, ProgramsTakeTimeToStartAndToStop) {
  rt::Platform platform = nodes_of(1, 2);
  platform.runtime = {.start = 0.2, .stop = 0.1, .report = 0};
  // 64 programs of a second on two workers.
  const auto cases = by_count(play(programs(kEqual), platform, {.seconds = 1}));
  EXPECT_NEAR(cases.at(1).seconds, 32 * 1.3, 0.1);
  EXPECT_EQ(cases.at(1).reports, 64);
}

TEST_F(SimulateNodes, ARuleHearsOfReportsLaterAndAStopTakesItsTime) {
  // With one slot, and a report a second: each trial that is stopped costs what is here, once.
  const StudySpec study = programs(
      "method: random\nparallel: 1\nlimits: {trials: 40}\nparameters: {nap: {min: 1.0, max: 2.0}}\n"
      "early_stop: {type: asha, min: 1, max: 9, eta: 3}\n");
  rt::Platform platform = nodes_of(1, 1);
  const auto without = by_count(play(study, platform, {.seconds = 9}));
  platform.runtime = {.start = 0.2, .stop = 0.1, .report = 0.4};
  const auto with = by_count(play(study, platform, {.seconds = 9}));
  EXPECT_EQ(with.at(1).reports, without.at(1).reports);
  const double more = with.at(1).seconds - without.at(1).seconds;
  EXPECT_GT(more, 40 * 0.3);
  EXPECT_LT(more, 40 * 0.7 + 0.1);
  EXPECT_GT(more, 30 * 0.7) << "three of four trials and more are stopped";
}

TEST_F(SimulateNodes, ARuleNeedsToKnowHowOftenProgramsReport) {
  EXPECT_THROW((void)play(programs(kEqual + "early_stop: asha\n"), nodes_of(2, 2)), base::Error);
}

TEST_F(SimulateNodes, ARulesLuckIsDrawnSeveralTimes) {
  const std::string asha = "early_stop: {type: asha, min: 1, max: 9, eta: 3}\n";
  const auto lucky = by_count(play(programs(kEqual + asha), nodes_of(2, 2), {.seconds = 9}));
  EXPECT_LT(lucky.at(2).shortest, lucky.at(2).seconds);
  EXPECT_GT(lucky.at(2).longest, lucky.at(2).seconds);
  const auto none = by_count(play(programs(kEqual), nodes_of(2, 2), {.seconds = 9}));
  EXPECT_EQ(none.at(2).shortest, none.at(2).longest);
}

TEST_F(SimulateNodes, LosingNodesCostsTimeTheSameEachTime) {
  rt::Platform platform = nodes_of(4, 2);
  platform.nodes.losses = 0.5;
  platform.nodes.back = 5;
  const auto first = by_count(play(programs(kEqual), platform));
  const auto again = by_count(play(programs(kEqual), platform));
  const NodesCase& four = first.at(4);
  ASSERT_TRUE(four.losses);
  EXPECT_TRUE(four.losses->all_ended());
  EXPECT_GT(four.losses->nodes, 1);
  EXPECT_GT(four.losses->seconds, 1.1 * four.seconds);
  EXPECT_GE(four.losses->worst, four.losses->seconds);
  EXPECT_EQ(four.losses->seconds, again.at(4).losses->seconds);
  EXPECT_NEAR(four.seconds, by_count(play(programs(kEqual), nodes_of(4, 2))).at(4).seconds, 1e-9);
}

TEST_F(SimulateNodes, NodesThatNeverComeBackMayEndAStudy) {
  rt::Platform platform = nodes_of(2, 1);
  platform.nodes.losses = 1;
  const auto cases = by_count(play(programs(kEqual), platform));
  EXPECT_EQ(cases.at(2).losses->histories, 0);
}

TEST_F(SimulateNodes, ATrialThatNoNodeCanRunIsRefused) {
  const StudySpec study = programs(kEqual + "resources: {cpus: 3}\n");
  EXPECT_THROW((void)play(study, nodes_of(2, 2)), base::Error);
}

TEST_F(SimulateNodes, TimeIsTheSimulationsAndTheRealOneComesBack) {
  const base::Moment before = base::now();
  const StudySpec timed = programs(
      "method: random\nparallel: 8\nlimits: {trials: 64, time: 10s}\nparameters: {nap: {min: 1.0, "
      "max: 2.0}}\n");
  EXPECT_NEAR(by_count(play(timed, nodes_of(1, 2))).at(1).seconds, 10, 0.6);
  EXPECT_GE(base::now(), before);
}

class SimulateNetworks : public SimulateNodes {
 protected:
  void SetUp() override {
    std::ofstream rows(folder_ / "rows.csv");
    rows << "a,b,c,d,kind\n";
    for (int i = 0; i < 4'000; ++i)
      rows << i % 7 << ',' << i % 11 << ',' << i % 13 << ',' << i % 17 << ','
           << (i % 7 < 3 ? "yes" : "no") << '\n';
  }
  [[nodiscard]] LoadedStudy study(const std::string& more) const {
    return load_settled(
        parse_study("name: nets\ndata: {csv: rows.csv, target: kind}\n"
                    "network: [dense: {units: 400}, dense: {units: 400}]\n"
                    "train: {batch: 64, epochs: 9, optimizer: {adam: {lr: $lr}}}\nmethod: random\n"
                    "parallel: 8\nlimits: {trials: 24}\nparameters: {lr: {min: 1e-4, max: 1e-1, "
                    "scale: log}}\n" +
                        more,
                    "nets.yaml", folder_.path().string()));
  }
  NodesForecast play(const LoadedStudy& loaded, const rt::Platform& platform) {
    return simulate_nodes({.study = loaded.study, .loaded = &loaded}, platform, runtime_);
  }

  support::TempFolder folder_;
};

TEST_F(SimulateNetworks, ASlowNetworkLimitsAStudyAndAFastOneDoesNot) {
  const LoadedStudy loaded = study("early_stop: none\n");
  rt::Platform platform = nodes_of(4, 2);
  const auto fast = by_count(play(loaded, platform));
  EXPECT_NEAR(fast.at(4).seconds, fast.at(1).seconds / 4, 0.05 * fast.at(1).seconds);
  EXPECT_NE(fast.at(4).limit, "transfers");
  platform.nodes.link.bandwidth = 1e4;
  const auto slow = by_count(play(loaded, platform));
  EXPECT_GT(slow.at(4).seconds, 1.2 * fast.at(4).seconds);
  EXPECT_EQ(slow.at(4).limit, "transfers");
}

TEST_F(SimulateNetworks, EachNodeReadsTheData) {
  const LoadedStudy loaded = study("early_stop: none\n");
  const auto bytes = static_cast<double>(std::filesystem::file_size(folder_ / "rows.csv"));
  rt::Platform platform = nodes_of(2, 2);
  const auto at_once = by_count(play(loaded, platform));
  platform.runtime.load = bytes / 3;
  const auto slowly = by_count(play(loaded, platform));
  EXPECT_NEAR(slowly.at(1).seconds, at_once.at(1).seconds + 3, 0.1);
  EXPECT_NEAR(slowly.at(2).seconds, at_once.at(2).seconds + 3, 0.1);
}

TEST_F(SimulateNetworks, EveryKindOfSearchEnds) {
  for (const char* more :
       {"early_stop: {type: asha, min: 1, eta: 3}\n",
        "early_stop: {type: asha, min: 1, eta: 3, promote: true}\n",
        "early_stop: {type: hyperband, min: 1, eta: 3}\n", "adapt: {policy: race, every: 3}\n"}) {
    const auto cases = by_count(play(study(more), nodes_of(2, 2)));
    EXPECT_GT(cases.at(1).seconds, cases.at(2).seconds) << more;
    EXPECT_EQ(cases.at(2).trials, 24) << more;
  }
}

}  // namespace
}  // namespace hpo
