// Nodes with a clock of their own: what calls, contents and losses take there.
#include "runtime/net/simulated_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace rt::net {
namespace {

constexpr double kMegabyte = 1e6;

Platform platform(int nodes, int workers, LinkModel link = {1e-6, 1e12}) {
  Platform made{.name = "nodes", .cpu = {.count = workers}, .gpu = {}};
  made.nodes = {.count = nodes, .link = link, .levels = {}};
  return made;
}

base::Key key(std::uint64_t number) { return base::Hasher().add(number).finish(); }

/// Calls on such nodes, and when they ended.
struct Played {
  explicit Played(const Platform& on, std::uint64_t seed = 0)
      : nodes({.platform = on, .seed = seed},
              {.ended =
                   [this](std::uint64_t call, End how) {
                     EXPECT_TRUE(ended.try_emplace(call, now()).second) << "ended twice";
                     hows[call] = how;
                     nodes.retain(key(call));
                   },
               .told = [this](std::uint64_t call,
                              std::uint32_t times) { told[call].push_back(times); }}) {}

  [[nodiscard]] double now() const { return base::seconds(nodes.now() - base::Moment{}); }
  Submission call(std::uint64_t id, double seconds, std::vector<base::Key> inputs = {},
                  std::uint64_t bytes = 8, std::uint32_t tells = 0) {
    Call made;
    made.inputs = std::move(inputs);
    made.outputs = {key(id)};
    made.back = {0};
    return nodes.submission(id, std::move(made),
                            {.seconds = seconds, .sizes = {bytes}, .tells = tells});
  }
  /// Until so many calls have ended; the seconds that took. Negative: they never do.
  double until(std::size_t count) {
    const double begin = now();
    while (ended.size() < count) {
      if (!nodes.step()) return -1;
    }
    return now() - begin;
  }

  std::map<std::uint64_t, double> ended;
  std::map<std::uint64_t, End> hows;
  std::map<std::uint64_t, std::vector<std::uint32_t>> told;
  SimulatedNodes nodes;
};

double independent(int calls, const Platform& on) {
  Played run(on);
  for (int i = 1; i <= calls; ++i) run.nodes.submit({run.call(static_cast<std::uint64_t>(i), 1)});
  return run.until(static_cast<std::size_t>(calls));
}

TEST(SimulatedNodes, CallsShareTheWorkersOfAllNodes) {
  EXPECT_NEAR(independent(24, platform(1, 2)), 12, 0.01);
  EXPECT_NEAR(independent(24, platform(2, 2)), 6, 0.01);
  EXPECT_NEAR(independent(24, platform(4, 3)), 2, 0.01);
}

TEST(SimulatedNodes, TheDriverTakesItsTimeForEachParcel) {
  Platform slow = platform(4, 8);
  slow.runtime.parcel = 0.1;
  // 40 parcels of no work, one after another by the driver.
  Played run(slow);
  for (std::uint64_t i = 1; i <= 40; ++i) run.nodes.submit({run.call(i, 0)});
  EXPECT_NEAR(run.until(40), 4, 0.1);
}

TEST(SimulatedNodes, AStoppedCallKeepsItsWorkerUntilItIsGone) {
  Played run(platform(1, 1));
  const auto program = [&](std::uint64_t id) {
    Submission made = run.call(id, 10);
    made.call.long_running = true;
    return run.nodes.submission(
        id, std::move(made.call),
        {.seconds = 10, .sizes = {8}, .tells = 2, .start = 1, .stop = 2, .told = 0.5});
  };
  run.nodes.submit({program(1)});
  while (run.told[1].empty()) ASSERT_TRUE(run.nodes.step());
  EXPECT_NEAR(run.now(), 1 + 5 + 0.5, 0.01);
  run.nodes.cancel({1});
  run.nodes.submit({program(2)});
  run.until(1);
  EXPECT_NEAR(run.ended.at(2), 6.5 + 2 + 1 + 10 + 2, 0.01);
}

TEST(SimulatedNodes, AContentPassesTheLinksOfBothNodesAndTheDriver) {
  // Both workers of the node that has the network are busy, so the next segment goes elsewhere.
  Played run(platform(2, 1, {1e-3, 10 * kMegabyte}));
  run.nodes.submit({run.call(1, 1, {}, 20'000'000)});
  run.nodes.submit({run.call(2, 1)});
  EXPECT_NEAR(run.until(2), 1, 0.01);
  run.nodes.submit({run.call(3, 60)});
  run.nodes.submit({run.call(4, 60)});
  while (run.nodes.use().busy < 2) ASSERT_TRUE(run.nodes.step());
  run.nodes.submit({run.call(5, 1, {key(1), key(2)})});
  const double took = run.until(5);
  // One of the inputs is on the other node: 20 MB at 10 MB/s to the driver and again from there, or
  // 8 bytes.
  EXPECT_GT(took, 60.9);
  EXPECT_LT(took, 66);
}

TEST(SimulatedNodes, DataComesOnceToEachNodeOverTheDriversLink) {
  const Platform on = platform(4, 2, {1e-3, 10 * kMegabyte});
  Played run(on);
  Call load;
  load.inputs = {key(900)};
  load.outputs = {key(901)};
  load.back = {0};
  run.nodes.remember_source(
      run.nodes.submission(0, std::move(load), {.seconds = 0.5, .sizes = {8}}), key(900),
      10'000'000);
  for (std::uint64_t i = 1; i <= 16; ++i) run.nodes.submit({run.call(i, 1, {key(901)})});
  // Four times 10 MB through the driver's link of 10 MB/s, then the last node's data set is read
  // and its four calls run in two turns.
  EXPECT_NEAR(run.until(16), 4 + 0.5 + 2, 0.4);
}

TEST(SimulatedNodes, ASlowUplinkIsSharedByItsGroup) {
  Platform on = platform(4, 1, {1e-3, 100 * kMegabyte});
  on.nodes.levels = {{.nodes = 2, .link = {1e-3, 5 * kMegabyte}}};
  Played run(on);
  Call load;
  load.inputs = {key(900)};
  load.outputs = {key(901)};
  load.back = {0};
  run.nodes.remember_source(run.nodes.submission(0, std::move(load), {.sizes = {8}}), key(900),
                            10'000'000);
  for (std::uint64_t i = 1; i <= 4; ++i) run.nodes.submit({run.call(i, 0.1, {key(901)})});
  // The driver's group has the data at once; the two other nodes share 5 MB/s.
  EXPECT_NEAR(run.until(4), 4, 0.5);
  std::vector<double> ends;
  for (const auto& [call, at] : run.ended) ends.push_back(at);
  std::ranges::sort(ends);
  EXPECT_LT(ends[1], 1);
}

TEST(SimulatedNodes, LargeContentsTakeAsLongAsTheirBytes) {
  Platform on = platform(1, 1, {1e-3, 100 * kMegabyte});
  Call load;
  load.inputs = {key(900)};
  load.outputs = {key(901)};
  load.back = {0};
  constexpr std::uint64_t kGigabytes = 20'000'000'000;
  std::map<std::uint64_t, double> ended;
  SimulatedNodes nodes({.platform = on, .largest = kGigabytes},
                       {.ended = [&](std::uint64_t call, End) { ended[call] = 1; }, .told = {}});
  nodes.remember_source(nodes.submission(0, std::move(load), {.sizes = {kGigabytes}}), key(900),
                        kGigabytes);
  Call call;
  call.inputs = {key(901)};
  call.outputs = {key(1)};
  call.back = {0};
  const base::Moment begin = nodes.now();
  nodes.submit({nodes.submission(1, std::move(call), {.seconds = 1, .sizes = {8}})});
  while (ended.empty()) ASSERT_TRUE(nodes.step());
  EXPECT_NEAR(base::seconds(nodes.now() - begin), 201, 4);
}

TEST(SimulatedNodes, LongCallsSayThatTheyRun) {
  Played run(platform(1, 1));
  run.nodes.submit({run.call(1, 4, {}, 8, 4)});
  (void)run.until(1);
  EXPECT_EQ(run.told[1], (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST(SimulatedNodes, WhatIsLostRunsAgainAndTheSameSeedGivesTheSameTimes) {
  Platform on = platform(4, 2);
  on.nodes.losses = 0.1;
  on.nodes.back = 10;
  const auto play = [&](std::uint64_t seed) {
    Played run(on, seed);
    for (std::uint64_t i = 1; i <= 160; ++i) run.nodes.submit({run.call(i, 2)});
    const double took = run.until(160);
    EXPECT_TRUE(
        std::ranges::all_of(run.hows, [](const auto& how) { return how.second == End::made; }));
    EXPECT_GE(run.nodes.losses(), 3U);
    EXPECT_GT(run.nodes.wasted(), 0);
    return took;
  };
  const double first = play(1);
  EXPECT_GT(first, 42) << "without losses: 40 s";
  EXPECT_LT(first, 100);
  EXPECT_EQ(play(1), first);
  EXPECT_NE(play(2), first);
}

TEST(SimulatedNodes, LongCallsEndHoweverOftenNodesAreLost) {
  for (const int count : {1, 2, 4}) {
    Platform on = platform(count, 2);
    on.nodes.losses = 0.125 * count;
    on.nodes.back = 5;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Played run(on, seed);
      for (std::uint64_t i = 1; i <= 64; ++i) {
        Submission call = run.call(i, 1.5);
        call.call.long_running = true;
        run.nodes.submit({call});
      }
      while (run.ended.size() < 64 && run.now() < 2000) ASSERT_TRUE(run.nodes.step());
      EXPECT_EQ(run.ended.size(), 64U) << count << " nodes, seed " << seed;
    }
  }
}

TEST(SimulatedNodes, NothingHappensOnceAllNodesAreGoneForGood) {
  Platform on = platform(2, 1);
  on.nodes.losses = 1;
  Played run(on);
  run.nodes.submit({run.call(1, 1000)});
  EXPECT_LT(run.until(1), 0);
  EXPECT_EQ(run.nodes.losses(), 2U);
}

}  // namespace
}  // namespace rt::net
