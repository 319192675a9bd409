// Stages of a network that work on different shards: their order, their balance, their bits.
#include "nn/training/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "base/error.h"
#include "nn/optimizers/stale.h"
#include "nn/training/train_checks.h"
#include "tests/nn/gang_cases.h"
#include "tests/nn/threads.h"

namespace {

using nn::StageOrder;
using nn::StageWork;
using nn_test::GangCase;
using nn_test::hyper;
using nn_test::Threads;

constexpr StageOrder k1F1B = StageOrder::one_forward_one_backward;
constexpr StageOrder kGPipe = StageOrder::all_forward_first;

std::vector<StageWork> works_of(int stage, int stages, int shards, StageOrder order) {
  std::vector<StageWork> works;
  for (int i = 0; i < 2 * shards; ++i)
    works.push_back(nn::work_of_stage(i, stage, stages, shards, order));
  return works;
}

TEST(Pipeline, EachStageGoesBackwardAsSoonAsItCan) {
  const StageWork f0{true, 0}, f1{true, 1}, f2{true, 2}, b0{false, 0}, b1{false, 1}, b2{false, 2};
  using Works = std::vector<StageWork>;
  EXPECT_EQ(works_of(0, 2, 3, k1F1B), (Works{f0, f1, b0, f2, b1, b2}));
  EXPECT_EQ(works_of(1, 2, 3, k1F1B), (Works{f0, b0, f1, b1, f2, b2}));
  EXPECT_EQ(works_of(0, 8, 3, k1F1B), (Works{f0, f1, f2, b0, b1, b2}));
  EXPECT_EQ(works_of(1, 2, 3, kGPipe), (Works{f0, f1, f2, b0, b1, b2}));
}

TEST(Pipeline, KeepsAsFewShardsAsItSays) {
  for (const StageOrder order : {k1F1B, kGPipe})
    for (const int stages : {1, 2, 4, 8})
      for (const int shards : {1, 3, 8, 16}) {
        int under_way = 0, most = 0;
        for (const StageWork& work : works_of(0, stages, shards, order)) {
          under_way += work.forward ? 1 : -1;
          most = std::max(most, under_way);
        }
        EXPECT_EQ(under_way, 0);
        EXPECT_EQ(most, nn::shards_under_way(stages, shards, order)) << stages << " " << shards;
      }
  EXPECT_EQ(nn::shards_under_way(4, 16, k1F1B), 4);
  EXPECT_EQ(nn::shards_under_way(4, 16, kGPipe), 16);
}

TEST(Pipeline, TakesTheTimeOfTheLaw) {
  for (const StageOrder order : {k1F1B, kGPipe})
    for (const int stages : {1, 2, 4, 8})
      for (const int shards : {1, 8, 64}) {
        const std::vector<nn::StageSeconds> even(static_cast<std::size_t>(stages),
                                                 {.forward = 1, .backward = 2});
        const double seconds = nn::pipeline_seconds(even, shards, order);
        EXPECT_NEAR(seconds, 3.0 * (shards + stages - 1), 0.01 * seconds);
      }
  // What goes between stages only counts where nobody works meanwhile.
  const std::vector<nn::StageSeconds> apart(
      4, {.forward = 1, .backward = 2, .to_next = 0.1, .to_previous = 0.1});
  EXPECT_NEAR(nn::pipeline_seconds(apart, 32, kGPipe), 3 * 35 + 6 * 0.1, 0.2);
}

TEST(Pipeline, BalancesStagesByCountedFlops) {
  // 784 x 1024 is trained in two products, 1024 x 1024 in three.
  const nn::ModelSpec deep =
      nn::complete(nn_test::mlp(784, std::vector<std::int64_t>(8, 1024), 10));
  const std::vector<nn::StageLayers> halves = nn::stages_of(deep, 2);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[0].last, halves[1].first);
  EXPECT_EQ(halves[1].last, deep.layers.size());
  EXPECT_EQ(halves[0].flops + halves[1].flops, nn::flops_per_row(deep).training);
  EXPECT_LE(static_cast<double>(std::max(halves[0].flops, halves[1].flops)),
            0.55 * static_cast<double>(nn::flops_per_row(deep).training));
  for (int stages = 1; stages <= 9; ++stages) {
    const std::vector<nn::StageLayers> cut = nn::stages_of(deep, stages);
    EXPECT_EQ(cut.size(), static_cast<std::size_t>(stages));
    for (const nn::StageLayers& stage : cut) EXPECT_GT(stage.flops, 0U);
  }
  EXPECT_EQ(nn::stages_of(deep, 20).size(), 9U);
}

nn_test::Trained pipelined(const GangCase& c, int stages, StageOrder order, int threads) {
  kern::prepare_thread();
  nn_test::Trained result{nn::ParamSlab(nn::slab_header(c.spec, c.hyper.optimizer)), {}};
  nn::init_weights(result.net, 11);
  nn::Workspace workspace;
  Threads lent(workspace, threads);
  result.stats = nn::train_steps(kern::cpu_kernels(), workspace, result.net, c.table.view(),
                                 c.hyper, {0, 2}, {}, threads > 1 ? &lent : nullptr, nullptr,
                                 {.stages = {.count = stages, .order = order}});
  return result;
}

void expect_bits_of_one(const GangCase& c) {
  const nn_test::Trained one = nn_test::trained(c, {0, 2}, nullptr);
  EXPECT_GT(one.stats.steps, 0);
  for (const int stages : {2, 3, 4})
    for (const int threads : {1, 2, 4})
      for (const StageOrder order : {k1F1B, kGPipe}) {
        const nn_test::Trained staged = pipelined(c, stages, order, threads);
        EXPECT_TRUE(std::ranges::equal(one.net.bytes(), staged.net.bytes()))
            << c.name << ", " << stages << " stages, " << threads << " threads";
        EXPECT_EQ(one.stats, staged.stats) << c.name << ", " << stages << " stages";
      }
}

TEST(Pipeline, HasTheBitsOfOneWorker) {
  for (const int shards : {1, 2, 8, 16})
    for (const GangCase& c : nn_test::gang_cases(shards)) expect_bits_of_one(c);
}

TEST(Pipeline, HasThemInSeveralWavesAndForStaleGradients) {
  expect_bits_of_one({"waves", nn_test::normed(36, 12, 10), hyper("adam", {{"lr", 0.01}}, 150, 100),
                      nn_test::Table(420, 36, 10)});
  nn::Hyper stale = hyper("sgd", {{"lr", 0.05}}, 24, 8);
  stale.optimizer = nn::stale_choice(stale.optimizer, {.bound = 1, .replicas = 3});
  expect_bits_of_one(
      {"stale", nn_test::residual(36, 12, 10), nn::complete(stale), nn_test::Table(130, 36, 10)});
}

TEST(Pipeline, RunsEverythingOnceInOrderWhoeverServes) {
  for (const int threads : {1, 2, 5}) {
    nn::Workspace workspace;
    Threads lent(workspace, threads);
    std::atomic<int> ran = 0, early = 0;
    std::vector<std::atomic<int>> forward(4), backward(4);
    nn::Pipeline pipeline(4, k1F1B, [&](int stage, const StageWork& work) {
      const auto at = static_cast<std::size_t>(stage);
      if (work.forward && stage > 0 && forward[at - 1] <= work.shard) ++early;
      if (!work.forward && stage < 3 && backward[at + 1] <= work.shard) ++early;
      ++(work.forward ? forward : backward)[at];
      ++ran;
    });
    for (int wave = 1; wave <= 2; ++wave) {
      for (auto* counts : {&forward, &backward})
        for (std::atomic<int>& count : *counts) count = 0;
      pipeline.run(6, threads > 1 ? &lent : nullptr);
      EXPECT_EQ(ran, wave * 2 * 4 * 6);
    }
    EXPECT_EQ(early, 0);
  }
}

TEST(Pipeline, EndsWithTheFirstError) {
  nn::Workspace workspace;
  Threads lent(workspace, 3);
  nn::Pipeline pipeline(3, k1F1B, [&](int stage, const StageWork& work) {
    if (stage == 1 && work.shard == 2) throw std::runtime_error("broken");
  });
  EXPECT_THROW(pipeline.run(8, &lent), std::runtime_error);
  EXPECT_THROW(pipeline.run(8, nullptr), std::runtime_error);
  pipeline.run(2, &lent);
}

TEST(Pipeline, RefusesWhatHasNoStages) {
  const auto reason = [](const nn::ModelSpec& spec, int shards, int stages) {
    try {
      nn::check_pipeline(kern::kOwnMemory, hyper("sgd", {}, 32, shards), nn::complete(spec),
                         stages);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const nn::ModelSpec net = nn_test::mlp(20, {8, 9}, 3);
  EXPECT_EQ(reason(net, 8, 3), "");
  EXPECT_NE(reason(net, 8, 4).find("only 3 of its layers multiply"), std::string::npos);
  EXPECT_NE(reason(net, 1, 2).find("a batch has 1"), std::string::npos);
}

}  // namespace
