// Training by replicas in virtual time.

#include "nn/training/staleness.h"

#include <gtest/gtest.h>
#include <cmath>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "nn/data/block.h"
#include "nn/losses/loss.h"
#include "nn/model/init.h"
#include "nn/optimizers/stale.h"
#include "nn/training/batch_reader.h"
#include "nn/training/random.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::Table;

nn::StaleEpoch course(const nn::Staleness& staleness, std::int64_t steps = 938,
                      std::uint64_t stream = 5, std::int64_t epoch = 0) {
  return nn::stale_epoch(staleness, stream, epoch, steps, [](std::int64_t) { return 64; });
}

constexpr nn::Staleness kJitter{.bound = 4, .replicas = 8, .factor = 10, .probability = 0.05};

TEST(Staleness, EveryBatchBeginsInOrderAndEndsOnceWithItsReplica) {
  for (const int bound : {0, 1, 4}) {
    nn::Staleness staleness = kJitter;
    staleness.bound = bound;
    std::map<std::int64_t, std::int32_t> running;
    std::int64_t begun = 0, ended = 0;
    for (const nn::StaleEvent& event : course(staleness).events) {
      if (event.begins) {
        EXPECT_EQ(event.step, begun++);
        running[event.step] = event.replica;
      } else {
        ASSERT_TRUE(running.contains(event.step));
        EXPECT_EQ(running.at(event.step), event.replica);
        running.erase(event.step);
        ++ended;
      }
      EXPECT_LE(running.size(), 8U);
    }
    EXPECT_EQ(begun, 938);
    EXPECT_EQ(ended, 938);
  }
}

TEST(Staleness, NoReplicaBeginsFurtherAheadThanTheBound) {
  for (const int bound : {0, 1, 4}) {
    nn::Staleness staleness = kJitter;
    staleness.bound = bound;
    std::vector<std::int64_t> finished(8);
    std::int64_t furthest = 0;
    for (const nn::StaleEvent& event : course(staleness).events) {
      std::int64_t& mine = finished[static_cast<std::size_t>(event.replica)];
      if (event.begins)
        furthest = std::max(furthest, mine - *std::ranges::min_element(finished));
      else
        ++mine;
    }
    EXPECT_EQ(furthest, bound);
  }
}

TEST(Staleness, OneReplicaTakesTurns) {
  const nn::StaleEpoch alone = course({}, 3);
  const std::vector<nn::StaleEvent> expected{{true, 0, 0},  {false, 0, 0}, {true, 0, 1},
                                             {false, 0, 1}, {true, 0, 2},  {false, 0, 2}};
  EXPECT_EQ(alone.events, expected);
  EXPECT_EQ(alone.time, 3 * 64);
}

TEST(Staleness, ABoundOfFourHidesDelays) {
  nn::Staleness waiting = kJitter;
  waiting.bound = 0;
  const double gain = course(waiting).time / course(kJitter).time;
  EXPECT_GE(gain, 1.4);
  EXPECT_LT(gain, 8);
}

TEST(Staleness, TheCourseFollowsFromSeedAndEpochAlone) {
  EXPECT_EQ(course(kJitter).events, course(kJitter).events);
  EXPECT_NE(course(kJitter).events, course(kJitter, 938, 6).events);
  EXPECT_NE(course(kJitter).events, course(kJitter, 938, 5, 1).events);
}

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h) {
  nn::ParamSlab net(nn::slab_header(nn::complete(spec), h.optimizer));
  nn::init_weights(net, 3);
  return net;
}

nn::Hyper stale(nn::Hyper h, const nn::Staleness& staleness) {
  h.optimizer = nn::stale_choice(h.optimizer, staleness);
  return nn::complete(h);
}

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

nn::ParamSlab trained(const nn::ModelSpec& spec, const Table& table, const nn::Hyper& h,
                      const std::vector<nn::Segment>& segments) {
  nn::ParamSlab net = fresh(spec, h);
  for (const nn::Segment& segment : segments) {
    nn::Workspace workspace;
    const nn::TrainStats stats = nn::train_steps(cpu(), workspace, net, table.view(), h, segment);
    EXPECT_FALSE(stats.diverged);
  }
  return net;
}

TEST(Staleness, OneReplicaTrainsToTheBitsOfNone) {
  const Table table(101, 36, 3);
  for (const nn::Hyper& h :
       {nn_test::hyper("adam", {{"lr", 0.01}}, 16, 3), nn_test::hyper("lars", {{"lr", 5.0}})}) {
    const nn::ModelSpec spec = nn_test::assorted(2, 3);
    const nn::ParamSlab plain = trained(spec, table, h, {{0, 3}});
    const nn::ParamSlab one = trained(spec, table, stale(h, {}), {{0, 3}});
    EXPECT_TRUE(std::ranges::equal(plain.weights(), one.weights())) << h.optimizer.kind;
    EXPECT_EQ(plain.state().steps, one.state().steps);
    EXPECT_EQ(plain.state().rows, one.state().rows);
  }
}

TEST(Staleness, EpochsMayBeCutAndNothingElse) {
  const Table table(101, 36, 3);
  const nn::ModelSpec spec = nn_test::mlp(36, {12}, 3);
  const nn::Hyper h = stale(nn_test::hyper("sgd", {{"lr", 0.02}, {"momentum", 0.5}}, 8), kJitter);
  const nn::ParamSlab whole = trained(spec, table, h, {{0, 3}});
  const nn::ParamSlab cut = trained(spec, table, h, {{0, 1}, {1, 2}, {4, 6, 2}});
  EXPECT_TRUE(std::ranges::equal(whole.bytes(), cut.bytes()));
  nn::ParamSlab net = fresh(spec, h);
  nn::Workspace workspace;
  EXPECT_THROW((void)nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 1, 2}),
               base::Error);
}

/// The same course with all gradients computed by hand, by plain gradient descent.
TEST(Staleness, AGradientIsThatOfTheWeightsAtWhichItBegan) {
  const Table table(101, 6, 3);
  const nn::ModelSpec spec = nn_test::mlp(6, {9}, 3);
  const nn::Hyper h = stale(nn_test::hyper("sgd", {{"lr", 0.1}}, 8), kJitter);
  const nn::ParamSlab net = trained(spec, table, h, {{0, 1}});
  const nn::ParamSlab first = fresh(spec, h);
  std::vector<float> weights(first.weights().begin(), first.weights().end());
  std::vector<std::uint32_t> order;
  nn::epoch_order(h.shuffle, 0, 101, order);
  const nn::DataView data = table.view();
  const nn::Network<float> network(first.spec(), cpu(), 8, nn::Use::training);
  const nn::BatchReader<float> reader(network, data);
  nn::Block arena(network.arena_bytes() + 64), targets(reader.target_bytes());
  std::map<std::int32_t, std::vector<float>> gradients;
  const auto size = [](std::int64_t step) { return std::min<std::int64_t>(8, 101 - 8 * step); };
  int late = 0;
  for (const nn::StaleEvent& event : nn::stale_epoch(kJitter, h.shuffle, 0, 13, size).events) {
    std::vector<float>& gradient = gradients[event.replica];
    if (!event.begins) {
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = std::fma(-0.1F, gradient[i], weights[i]);
      ++late;
      continue;
    }
    gradient.assign(network.layout().count, 0);
    const auto rows = std::span(order).subspan(static_cast<std::size_t>(8 * event.step),
                                               static_cast<std::size_t>(size(event.step)));
    const nn::Target target = reader.read(arena.bytes().data(), targets.bytes().data(), rows);
    (void)network.loss_and_gradient(arena.bytes().data(), weights.data(), int(rows.size()),
                                    *nn::loss_function<float>(h.loss, data), target,
                                    1.0F / static_cast<float>(rows.size()), gradient.data());
  }
  EXPECT_EQ(late, 13);
  for (std::size_t i = 0; i < weights.size(); ++i)
    ASSERT_NEAR(net.weights()[i], weights[i], 1e-6) << i;
}

}  // namespace
