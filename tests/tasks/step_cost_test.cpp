// What a step takes in each way to run it, for networks whose best way is plain.
#include "tasks/step_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nn/model/spec.h"

namespace {

using tasks::StepCost;
using tasks::StepPlaces;
using tasks::StepWay;

constexpr int kClasses = 10;

/// 784-UNITSxLAYERS-10.
nn::ModelSpec dense(int layers, int units) {
  nn::ModelSpec spec{.input = nn::Shape::image(28, 28, 1), .layers = {{"flatten", "", {}}}};
  for (int i = 0; i < layers; ++i)
    spec.layers.push_back({"dense", "", {{"units", std::int64_t{units}}}});
  return nn::complete(nn::with_output(spec, kClasses));
}

nn::Hyper hyper_of(int batch, int shards) {
  nn::Hyper hyper;
  hyper.batch = batch;
  hyper.shards = shards;
  hyper.optimizer = {"adam", {}};
  return hyper;
}

rt::Platform cores(int count) {
  return {.name = "cores",
          .cpu = {.count = count, .peak = 1e11, .half = 2e5, .launch = 1e-6, .bandwidth = 8e9},
          .gpu = {}};
}

std::vector<StepCost> costs_of(const nn::ModelSpec& spec, const nn::Hyper& hyper,
                               const StepPlaces& places) {
  return tasks::step_costs(spec, hyper, cores(places.workers), places);
}

const StepCost* find(const std::vector<StepCost>& costs, StepWay way, int count) {
  const auto found = std::ranges::find_if(
      costs, [&](const StepCost& cost) { return cost.way == way && cost.count == count; });
  return found == costs.end() ? nullptr : &*found;
}

TEST(StepCost, HasOneWayForOneWorker) {
  const auto costs = costs_of(dense(3, 1024), hyper_of(512, 8), {});
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].word(), "serial");
  EXPECT_EQ(costs[0].sums, 0);
}

TEST(StepCost, PutsShardsSideBySideOnOneMachine) {
  const auto costs = costs_of(dense(8, 1024), hyper_of(512, 8), {.workers = 2, .members = 256});
  const StepCost* serial = find(costs, StepWay::serial, 1);
  const StepCost* shards = find(costs, StepWay::shards, 2);
  const StepCost* gang = find(costs, StepWay::gang, 2);
  ASSERT_TRUE(serial && shards && gang);
  EXPECT_NEAR(shards->compute, serial->compute / 2, 1e-3 * serial->compute);
  EXPECT_EQ(shards->update, serial->update);
  EXPECT_GT(gang->seconds(), shards->seconds());
  EXPECT_FALSE(find(costs, StepWay::gang, 3)) << "more members than workers";
  EXPECT_EQ(tasks::chosen_way(costs).word(), "shards");
}

TEST(StepCost, TakesNoGangWhereTheLinkTakesLonger) {
  const StepPlaces two{.workers = 1, .members = 2, .far = true};
  EXPECT_EQ(tasks::chosen_way(costs_of(dense(3, 1024), hyper_of(1024, 8), two)).word(), "gang:2");
  EXPECT_EQ(tasks::chosen_way(costs_of(dense(3, 1024), hyper_of(64, 8), two)).word(), "serial");
}

TEST(StepCost, GrowsWithTheLink) {
  const StepPlaces four{.workers = 1, .members = 4, .far = true};
  double before = 10;
  for (const double bandwidth : {1e7, 1e8, 1e9, 1e10}) {
    rt::Platform platform = cores(1);
    platform.nodes = {.count = 4, .link = {.latency = 1e-5, .bandwidth = bandwidth}};
    const auto costs = tasks::step_costs(dense(3, 1024), hyper_of(1024, 8), platform, four);
    const StepCost* gang = find(costs, StepWay::gang, 4);
    ASSERT_TRUE(gang);
    EXPECT_LT(gang->sums, before) << bandwidth;
    before = gang->sums;
  }
  EXPECT_LT(before, 4e-2);
}

/// Members in two groups send through the link between them.
TEST(StepCost, CountsTheSlowestLevel) {
  rt::Platform platform = cores(1);
  platform.nodes = {.count = 4, .link = {.latency = 1e-5, .bandwidth = 1e9}};
  const StepPlaces four{.workers = 1, .members = 4, .far = true};
  const auto flat = tasks::step_costs(dense(3, 1024), hyper_of(1024, 8), platform, four);
  platform.nodes.levels = {{.nodes = 2, .link = {.latency = 1e-4, .bandwidth = 1e8}}};
  const auto levels = tasks::step_costs(dense(3, 1024), hyper_of(1024, 8), platform, four);
  EXPECT_EQ(find(flat, StepWay::gang, 2)->sums, find(levels, StepWay::gang, 2)->sums);
  EXPECT_LT(find(flat, StepWay::gang, 4)->sums, find(levels, StepWay::gang, 4)->sums);
}

TEST(StepCost, HasNoMoreMembersThanShards) {
  const auto costs =
      costs_of(dense(1, 64), hyper_of(64, 4), {.workers = 1, .members = 9, .far = true});
  EXPECT_TRUE(find(costs, StepWay::gang, 4));
  EXPECT_FALSE(find(costs, StepWay::gang, 5));
}

TEST(StepCost, PrefersTheSimplestOfAboutEqualWays) {
  const std::vector<StepCost> costs{{.way = StepWay::serial, .compute = 1.04},
                                    {.way = StepWay::shards, .count = 2, .compute = 1},
                                    {.way = StepWay::gang, .count = 2, .compute = .99}};
  EXPECT_EQ(tasks::chosen_way(costs).word(), "shards");
}

}  // namespace
