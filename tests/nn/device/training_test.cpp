#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.h"
#include "kernels/feed.h"
#include "nn/evaluation/latency.h"
#include "nn/model/init.h"
#include "nn/network/memory.h"
#include "nn/reshape/reshape.h"
#include "tests/nn/device/on_device.h"

namespace kern::emulated::driver {
void refuse_recordings(bool on) noexcept;
}

namespace {

using namespace device_test;
using nn_test::hyper;
using nn_test::n;
using nn_test::Table;

constexpr double kEqual = 1e-4;

/// How a network is trained here and there.
struct Case {
  std::string name;
  nn::ModelSpec spec;
  nn::Hyper hyper;
  bool numbers = false;
};

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

/// Rates and batches with which rounding does not grow: where it does, the processor's kernels and
/// their reference part as well. A bias before a batch normalisation has a gradient of nothing but
/// rounding, which Adam would make steps of.
std::vector<Case> cases() {
  const nn::Fields momentum{{"lr", 0.02}, {"momentum", 0.9}};
  std::vector<Case> all{
      {"sgd", nn_test::mlp(36, {24, 16}, 3), hyper("sgd", {{"lr", 0.05}})},
      {"momentum in shards", nn_test::mlp(36, {24}, 3, "gelu"), hyper("sgd", momentum, 16, 3)},
      {"momentum in many shards", nn_test::mlp(36, {24}, 3, "gelu"),
       hyper("sgd", momentum, 20, 19)},
      {"adam", nn_test::mlp(36, {24}, 3, "tanh"), hyper("adam", {{"lr", 1e-3}})},
      {"adamw", nn_test::residual(36, 12, 3), hyper("adamw", {{"lr", 1e-3}})},
      {"batch norm", nn_test::normed(36, 20, 3), hyper("sgd", {{"lr", 1e-3}})},
      {"rmsprop", nn_test::residual(36, 12, 3), hyper("rmsprop", {{"lr", 1e-3}})},
      {"lars", nn_test::mlp(36, {24, 16}, 3), hyper("lars", {{"lr", 5.0}})},
      {"lars in shards", nn_test::assorted(3, 3), hyper("lars", {{"lr", 0.3}}, 20, 2)},
      {"late", nn_test::mlp(36, {24}, 3, "tanh"), hyper("adam+late", {{"lr", 1e-3}})},
      {"late in shards", nn_test::mlp(36, {24}, 3), hyper("sgd+late", momentum, 16, 3)},
      {"lamb", nn_test::mlp(36, {24}, 3, "tanh"), hyper("lamb", {{"lr", 1e-3}})},
      {"everything", nn_test::assorted(3, 3), hyper("sgd", {{"lr", 1e-3}}, 20, 2)},
      {"numbers", nn_test::mlp(36, {20}, 3), hyper("sgd", {{"lr", 0.02}}, 16, 1, "huber"), true}};
  Case moved = all.back();
  moved = {"augmented", nn_test::assorted(2, 3), hyper("sgd", {{"lr", 3e-4}}, 20)};
  moved.hyper.augment = {.shift = 1, .flip = nn::Flip::both};
  all.push_back(moved);
  moved.name = "augmented and clipped";
  moved.hyper.clip = 0.5;
  all.push_back(moved);
  Case pulled{"pulled", nn_test::mlp(36, {24, 16}, 3), hyper("sgd", {{"lr", 0.05}})};
  pulled.hyper.penalty = {.strength = 0.2};
  pulled.hyper.loss =
      nn::complete(nn::Hyper{.loss = {"cross_entropy",
                                      {{"class_weights", "balanced"}, {"label_smoothing", 0.1}}},
                             .optimizer = pulled.hyper.optimizer})
          .loss;
  all.push_back(pulled);
  pulled.name = "class weights";
  pulled.hyper.penalty = {};
  all.push_back(pulled);
  return all;
}

/// At least 100 steps.
constexpr nn::Segment kHundred{0, 10};
const Table& table() {
  static const Table kTable(208, 36, 3);
  return kTable;
}

nn::ParamSlab trained_there(const Case& c, const nn::ParamSlab& from, nn::TrainStats& stats) {
  const Rows rows(table(), c.numbers);
  nn::Workspace workspace;
  Net net(from);
  stats = nn::train_steps(kernels(c.hyper.precision), workspace, net.slab, rows.view(c.spec),
                          c.hyper, kHundred);
  return net.back();
}

double largest(std::span<const float> values) {
  float out = 0;
  for (const float v : values) out = std::max(out, std::abs(v));
  return static_cast<double>(out);
}

void expect_equal(const nn::ParamSlab& here, const nn::ParamSlab& there, double share = kEqual) {
  const double bound = share * largest(here.weights());
  for (std::size_t i = 0; i < here.weights().size(); ++i)
    ASSERT_NEAR(there.weights()[i], here.weights()[i], bound) << i;
  EXPECT_EQ(there.state().steps, here.state().steps);
  EXPECT_EQ(there.state().rows, here.state().rows);
}

TEST(OnDevice, AHundredStepsEqualThoseOfTheProcessor) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    nn::ParamSlab net = fresh(c.spec, c.hyper);
    nn::TrainStats there_stats;
    const nn::ParamSlab there = trained_there(c, net, there_stats);
    nn::Workspace workspace;
    const nn::TrainStats stats =
        nn::train_steps(cpu(), workspace, net, here(table(), c.spec, c.numbers), c.hyper, kHundred);
    ASSERT_GE(stats.steps, 100);
    EXPECT_NEAR(there_stats.loss, stats.loss, kEqual * stats.loss);
    EXPECT_EQ(there_stats.rows, stats.rows);
    expect_equal(net, there);
  }
}

/// How far apart the reference and a device may get: an operand becomes either of two neighbours,
/// on a device by its own choice, on the host where another order of sums moves it over the middle.
double bound_of(kern::Precision precision) {
  switch (precision) {
    case kern::Precision::f32:
      break;
    case kern::Precision::tf32:
      return 0.005;
    case kern::Precision::bf16:
      return 0.02;
  }
  return kEqual;
}

TEST(OnDevice, TrainingInEachPrecisionFollowsTheReference) {
  for (const kern::Precision precision : kern::precisions()) {
    SCOPED_TRACE(kern::precision_name(precision));
    Case c{"", nn_test::mlp(36, {24, 16}, 3), hyper("sgd", {{"lr", 0.05}})};
    c.hyper.precision = precision;
    nn::ParamSlab net = fresh(c.spec, c.hyper);
    nn::TrainStats there_stats;
    const nn::ParamSlab there = trained_there(c, net, there_stats);
    nn::Workspace workspace;
    const nn::TrainStats stats = nn::train_steps(kern::ref_kernels<float>(precision), workspace,
                                                 net, here(table(), c.spec), c.hyper, kHundred);
    EXPECT_NEAR(there_stats.loss, stats.loss, bound_of(precision) * stats.loss);
    expect_equal(net, there, bound_of(precision));
  }
}

TEST(OnDevice, TheTableIsOfTheTrainingsPrecision) {
  Case c{"", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.05}})};
  c.hyper.precision = kern::Precision::tf32;
  const Rows rows(table());
  Net net(fresh(c.spec, c.hyper));
  nn::Workspace workspace;
  EXPECT_THROW(
      (void)nn::train_steps(kernels(), workspace, net.slab, rows.view(c.spec), c.hyper, {0, 1}),
      base::Error);
}

TEST(OnDevice, TwoRunsGiveTheSameBits) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const nn::ParamSlab net = fresh(c.spec, c.hyper);
    nn::TrainStats first, second;
    const nn::ParamSlab a = trained_there(c, net, first), b = trained_there(c, net, second);
    EXPECT_EQ(first, second);
    EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
  }
}

TEST(OnDevice, WhereNoStepIsRecordedTheBitsAreTheSame) {
  if (kern::test::on_gpu()) GTEST_SKIP() << "a device records when it can";
  const Case c{"", nn_test::mlp(36, {24, 16}, 3), hyper("sgd", {{"lr", 0.05}})};
  const nn::ParamSlab net = fresh(c.spec, c.hyper);
  nn::TrainStats first, second;
  const nn::ParamSlab recorded = trained_there(c, net, first);
  kern::emulated::driver::refuse_recordings(true);
  const nn::ParamSlab told = trained_there(c, net, second);
  kern::emulated::driver::refuse_recordings(false);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(std::ranges::equal(recorded.bytes(), told.bytes()));
}

/// The table stays in the program's memory: its rows come a batch at a time.
TEST(OnDevice, ATableThatIsFedGivesTheBitsOfOneThatLiesThere) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const nn::ParamSlab from = fresh(c.spec, c.hyper);
    nn::TrainStats resident_stats, fed_stats;
    const nn::ParamSlab resident = trained_there(c, from, resident_stats);
    const nn::DataView view = here(table(), c.spec, c.numbers);
    nn::Workspace workspace;
    Net net(from);
    fed_stats = nn::train_steps(kernels(), workspace, net.slab, view, c.hyper, kHundred);
    EXPECT_EQ(fed_stats, resident_stats);
    EXPECT_TRUE(std::ranges::equal(net.back().bytes(), resident.bytes()));
    const Rows rows(table(), c.numbers);
    const nn::Scores there =
        nn::evaluate(kernels(), workspace, net.slab, rows.view(c.spec), c.hyper.loss);
    EXPECT_EQ(nn::evaluate(kernels(), workspace, net.slab, view, c.hyper.loss), there);
  }
}

TEST(OnDevice, ATrainingThatIsStoppedLeavesNoCopyBehind) {
  const Case c{"", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.05}})};
  const nn::DataView view = here(table(), c.spec);
  nn::Workspace workspace;
  nn::TrainStats stats;
  const nn::ParamSlab from = fresh(c.spec, c.hyper), whole = trained_there(c, from, stats);
  Net stopped(from), net(from);
  int polls = 0;
  stats = nn::train_steps(kernels(), workspace, stopped.slab, view, c.hyper, kHundred,
                          [&] { return ++polls > 3; });
  EXPECT_TRUE(stats.stopped);
  (void)nn::train_steps(kernels(), workspace, net.slab, view, c.hyper, kHundred);
  EXPECT_TRUE(std::ranges::equal(net.back().bytes(), whole.bytes()));
}

TEST(OnDevice, SegmentsKnowNoCuts) {
  const Case c{"cut", nn_test::assorted(2, 3), hyper("adam", {{"lr", 1e-3}}, 20, 2)};
  const Rows rows(table());
  const nn::ParamSlab from = fresh(c.spec, c.hyper);
  nn::Workspace workspace;
  Net whole(from), cut(from);
  (void)nn::train_steps(kernels(), workspace, whole.slab, rows.view(c.spec), c.hyper, {0, 3});
  for (const nn::Segment segment : {nn::Segment{0, 1}, nn::Segment{1, 3}})
    (void)nn::train_steps(kernels(), workspace, cut.slab, rows.view(c.spec), c.hyper, segment);
  EXPECT_TRUE(std::ranges::equal(whole.back().bytes(), cut.back().bytes()));
}

TEST(OnDevice, AsynchronousStretchesKnowNoCuts) {
  std::vector<Case> all = cases();
  std::erase_if(all, [](const Case& c) { return c.hyper.shards != 1; });
  ASSERT_GT(all.size(), 5U);
  const Rows labels(table()), numbers(table(), true);
  for (Case& c : all) {
    SCOPED_TRACE(c.name);
    nn::append(c.hyper.lr, nn::LrShape::linear, 2, 1e-4, 1e-3);
    nn::append_rest(c.hyper.lr, 1e-3);
    const nn::DataView view = (c.numbers ? numbers : labels).view(c.spec);
    const nn::ParamSlab from = fresh(c.spec, c.hyper);
    nn::Workspace workspace, other;
    Net whole(from), cut(from);
    (void)nn::train_steps(kernels(), workspace, whole.slab, view, c.hyper, {0, 3});
    // The second is cut within an epoch; the last one's worker never saw the network.
    for (const nn::Segment segment : {nn::Segment{0, 1}, nn::Segment{2, 3, 2}})
      (void)nn::train_steps(kernels(), workspace, cut.slab, view, c.hyper, segment);
    (void)nn::train_steps(kernels(), other, cut.slab, view, c.hyper, {3, 6, 2});
    EXPECT_TRUE(std::ranges::equal(whole.back().bytes(), cut.back().bytes()));
  }
}

TEST(OnDevice, AReshapedNetworkGoesOnAsOnTheProcessor) {
  for (const nn::ModelSpec& spec : {nn_test::mlp(36, {20, 20}, 3), nn_test::assorted(2, 3)}) {
    SCOPED_TRACE(nn::describe(spec));
    const bool images = spec.input.is_image();
    const Case c{"", spec, hyper(images ? "sgd" : "adam", {{"lr", images ? 2e-4 : 1e-3}}, 16)};
    nn::Workspace workspace;
    nn::ParamSlab young = fresh(spec, c.hyper);
    (void)nn::train_steps(cpu(), workspace, young, here(table(), spec), c.hyper, {0, 2});
    const std::string layer = images ? "fc" : "dense1";
    nn::ParamSlab grown = nn::reshape(cpu(), workspace, young, {"widen", layer, {{"by", n(7)}}},
                                      here(table(), spec), 1);
    const Rows rows(table());
    Net there(grown);
    (void)nn::train_steps(kernels(), workspace, there.slab, rows.view(grown.spec()), c.hyper,
                          {2, 8});
    (void)nn::train_steps(cpu(), workspace, grown, here(table(), grown.spec()), c.hyper, {2, 8});
    expect_equal(grown, there.back());
  }
}

TEST(OnDevice, ScoresEqualThoseOfTheProcessor) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const nn::ParamSlab net = fresh(c.spec, c.hyper);
    const Net there(net);
    const Rows rows(table(), c.numbers);
    nn::Workspace workspace;
    const nn::Scores a =
        nn::evaluate(cpu(), workspace, net, here(table(), c.spec, c.numbers), c.hyper.loss);
    const nn::Scores b =
        nn::evaluate(kernels(), workspace, there.slab, rows.view(c.spec), c.hyper.loss);
    if (rows.view(c.spec).labels != nullptr) {
      EXPECT_EQ(
          nn::evaluate_classes(kernels(), workspace, there.slab, rows.view(c.spec), c.hyper.loss)
              .scores,
          b);
    }
    EXPECT_NEAR(b.loss, a.loss, kEqual * a.loss);
    EXPECT_EQ(b.correct, a.correct);
    EXPECT_EQ(b.rows, a.rows);
    ASSERT_EQ(b.metrics.size(), a.metrics.size());
    for (std::size_t i = 0; i < a.metrics.size(); ++i)
      EXPECT_NEAR(b.metrics[i].second, a.metrics[i].second, 1e-3) << a.metrics[i].first;
  }
}

TEST(OnDevice, ARowIsTimedWhereverTheTableLies) {
  const auto clock = [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  };
  const Rows rows(table());
  for (const Case& c : cases()) {
    if (c.numbers) continue;
    SCOPED_TRACE(c.name);
    const Net net(fresh(c.spec, c.hyper));
    for (const nn::DataView& view : {rows.view(c.spec), here(table(), c.spec)}) {
      nn::Workspace workspace;
      const double seconds = nn::row_latency(kernels(), workspace, net.slab, view, clock);
      EXPECT_GT(seconds, 0);
      EXPECT_LT(seconds, 1);
    }
  }
}

TEST(OnDevice, ALossThatIsNoNumberEndsTheTraining) {
  const Case c{"", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 1e30}})};
  nn::TrainStats stats;
  (void)trained_there(c, fresh(c.spec, c.hyper), stats);
  EXPECT_TRUE(stats.diverged);
}

TEST(OnDevice, ATrainingThatFindsTheStepOfAnotherGivesItsOwnBits) {
  const nn::ModelSpec spec = nn_test::mlp(36, {24, 16}, 3);
  const Rows rows(table());
  nn::Workspace kept;
  for (const double lr : {1e-3, 3e-3, 1e-4}) {
    nn::Hyper h = hyper("adam", {{"lr", lr}});
    if (lr < 1e-3) {
      nn::append(h.lr, nn::LrShape::linear, 4, lr, 10 * lr);
      nn::append_rest(h.lr, lr);
    }
    nn::ParamSlab from(nn::slab_header(spec, h.optimizer));
    nn::init_weights(from, static_cast<std::uint64_t>(1e5 * lr));
    Net again(from), fresh_net(from);
    nn::Workspace fresh_workspace;
    const auto run = [&](nn::Workspace& workspace, Net& net) {
      return nn::train_steps(kernels(), workspace, net.slab, rows.view(spec), h, kHundred);
    };
    EXPECT_EQ(run(kept, again), run(fresh_workspace, fresh_net)) << lr;
    const nn::ParamSlab one = again.back(), other = fresh_net.back();
    EXPECT_TRUE(std::ranges::equal(one.bytes(), other.bytes())) << lr;
    EXPECT_FALSE(std::ranges::equal(one.weights(), from.weights()));
  }
}

TEST(OnDevice, ALossThatIsNoNumberLeavesTheNetworkAsItWasBefore) {
  Case c{"", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.05}})};
  nn::append(c.hyper.lr, nn::LrShape::constant, 3, 0.05, 0.05);
  nn::append_rest(c.hyper.lr, 1e30);
  nn::ParamSlab net = fresh(c.spec, c.hyper);
  nn::TrainStats stats;
  const nn::ParamSlab there = trained_there(c, net, stats);
  nn::Workspace workspace;
  const nn::TrainStats wanted =
      nn::train_steps(cpu(), workspace, net, here(table(), c.spec), c.hyper, kHundred);
  EXPECT_GT(wanted.steps, 3 * 13);
  EXPECT_TRUE(stats.diverged && wanted.diverged);
  EXPECT_TRUE(std::isnan(stats.loss));
  EXPECT_EQ(stats.steps, wanted.steps);
  EXPECT_EQ(stats.rows, wanted.rows);
  EXPECT_EQ(there.state().steps, net.state().steps);
  EXPECT_EQ(there.state().rows, net.state().rows);
  const auto finite = [](float weight) { return std::isfinite(weight); };
  EXPECT_EQ(std::ranges::all_of(there.weights(), finite),
            std::ranges::all_of(net.weights(), finite));
}

TEST(OnDevice, AHaltedTrainingEndsWithTheBytesOfItsLastGoodStep) {
  const std::vector<Case> all{
      {"sgd", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.05}})},
      {"momentum", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.02}, {"momentum", 0.9}})},
      {"adam", nn_test::mlp(36, {24}, 3), hyper("adam", {{"lr", 1e-3}})},
      {"batch norm", nn_test::normed(36, 20, 3), hyper("sgd", {{"lr", 1e-3}})},
      {"batch norm and adam", nn_test::normed(36, 20, 3), hyper("adam", {{"lr", 1e-3}})}};
  constexpr int kSteps = 13;  // of an epoch
  const Rows rows(table());
  for (Case c : all) {
    nn::append(c.hyper.lr, nn::LrShape::constant, 3, 1e-3, 1e-3);
    nn::append_rest(c.hyper.lr, 3e38);
    const nn::ParamSlab from = fresh(c.spec, c.hyper);
    for (const nn::DataView& view : {rows.view(c.spec), here(table(), c.spec)}) {
      SCOPED_TRACE(c.name + (view.resident != nullptr ? "" : ", fed"));
      nn::Workspace workspace;
      Net halted(from), good(from);
      const nn::TrainStats stats =
          nn::train_steps(kernels(), workspace, halted.slab, view, c.hyper, kHundred);
      ASSERT_TRUE(stats.diverged);
      const std::int64_t steps = halted.slab.state(memory()).steps;
      EXPECT_EQ(stats.steps, steps + 1);
      EXPECT_GE(steps, 3 * kSteps);
      const nn::TrainStats before =
          nn::train_steps(kernels(), workspace, good.slab, view, c.hyper, {0, steps, kSteps});
      EXPECT_FALSE(before.diverged);
      EXPECT_EQ(before.steps, steps);
      EXPECT_TRUE(std::ranges::equal(halted.back().bytes(), good.back().bytes()));
    }
  }
}

TEST(OnDevice, TwoTrialsAtOnceComputeWhatEachDoesAlone) {
  const std::vector<Case> all = cases();
  std::vector<nn::ParamSlab> alone, together;
  std::vector<nn::TrainStats> stats(2);
  for (std::size_t i = 0; i < 2; ++i) {
    alone.push_back(trained_there(all[i], fresh(all[i].spec, all[i].hyper), stats[i]));
    together.push_back(fresh(all[i].spec, all[i].hyper));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      kern::prepare_thread();
      nn::TrainStats own;
      together[i] = trained_there(all[i], together[i], own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(std::ranges::equal(alone[i].bytes(), together[i].bytes())) << i;
}

TEST(OnDevice, OnlyADevicesMemoryHasCopiesBesideKernelsAndRecordings) {
  EXPECT_NO_THROW((void)kern::feed_of(memory()));
  for (const kern::Memory* none : {&kern::kOwnMemory, kern::device_plans().memory}) {
    EXPECT_THROW((void)kern::feed_of(*none), std::logic_error);
    EXPECT_THROW((void)kern::recorder_of(*none), std::logic_error);
  }
}

std::size_t memory_left() {
  std::size_t left = 0, all = 0;
  kern::test::device().memory_left(left, all);
  return left;
}

/// What training and scoring leave behind and take beside a block of `bytes` bytes.
struct Beside {
  nn::ParamSlab net;
  std::size_t taken = 0;  ///< while they ran, at the most
};

Beside trained_in(std::size_t bytes, const Case& c, nn::Workspace& workspace) {
  const Rows rows(table(), c.numbers);
  const There block(bytes);
  Net net(fresh(c.spec, c.hyper));
  const nn::Workspace::Lease lease(workspace, memory(), {block.at(), bytes});
  const std::size_t left = memory_left();
  (void)nn::train_steps(kernels(), workspace, net.slab, rows.view(c.spec), c.hyper, {0, 1});
  (void)nn::evaluate(kernels(), workspace, net.slab, rows.view(c.spec), c.hyper.loss);
  return {net.back(), left - memory_left()};
}

TEST(OnDevice, WhatIsAnnouncedIsAllThatTrainingAndScoringTake) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const std::size_t announced =
        std::max(nn::training_memory(kern::device_plans(), c.spec, c.hyper),
                 nn::scoring_memory(kern::device_plans(), c.spec));
    nn::Workspace workspace;
    (void)trained_in(announced, c, workspace);  // what is kept, and partial sums, have their memory
    const Beside in_block = trained_in(announced, c, workspace);
    EXPECT_EQ(in_block.taken, 0U);
    const Beside too_small = trained_in(64, c, workspace);
    // CUDA deals out pages of two MiB, in which little is nothing.
    if (!kern::test::on_gpu()) {
      EXPECT_GT(too_small.taken, 0U);
    }
    EXPECT_TRUE(std::ranges::equal(in_block.net.bytes(), too_small.net.bytes()));
  }
}

/// Of a batch that the table does not fill, its rows are brought.
Case in_one_batch() {
  Case c{"one batch", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.05}}, 1000)};
  const nn::FeedShape shape = nn::feed_shape(here(table(), c.spec));
  nn::Hyper all = c.hyper;
  all.batch = 208;
  EXPECT_EQ(nn::training_feed(shape, c.hyper, 208), nn::training_feed(shape, all, 208));
  return c;
}

TEST(OnDevice, WhatIsAnnouncedIsAllThatAFeedTakes) {
  std::vector<Case> all = cases();
  all.push_back(in_one_batch());
  for (const Case& c : all) {
    SCOPED_TRACE(c.name);
    const nn::DataView view = here(table(), c.spec, c.numbers);
    const nn::FeedShape shape = nn::feed_shape(view);
    const std::size_t announced =
        std::max(nn::training_memory(kern::device_plans(), c.spec, c.hyper) +
                     nn::training_feed(shape, c.hyper, view.rows.size()),
                 nn::scoring_memory(kern::device_plans(), c.spec) +
                     nn::scoring_feed(*kern::device_plans().memory, c.spec, shape));
    nn::Workspace other;
    (void)trained_in(announced, c, other);
    const There block(announced);
    Net net(fresh(c.spec, c.hyper));
    nn::Workspace workspace;
    const nn::Workspace::Lease lease(workspace, memory(), {block.at(), announced});
    const std::size_t left = memory_left();
    (void)nn::train_steps(kernels(), workspace, net.slab, view, c.hyper, {0, 1});
    (void)nn::evaluate(kernels(), workspace, net.slab, view, c.hyper.loss);
    EXPECT_EQ(memory_left(), left);
  }
}

/// All of the device's memory but for `bytes`.
class Full {
 public:
  explicit Full(std::size_t bytes) : block_(memory_left() - bytes) {}

 private:
  There block_;
};

TEST(OnDevice, WithoutRoomForWhatAWorkerKeepsATrainingUsesWhatItWasLent) {
  if (kern::test::on_gpu()) GTEST_SKIP() << "CUDA deals out pages of two MiB";
  const Case c{"", nn_test::mlp(36, {24}, 3), hyper("adam", {{"lr", 1e-3}})};
  const std::size_t announced = nn::training_memory(kern::device_plans(), c.spec, c.hyper);
  const Rows rows(table(), c.numbers);
  const nn::ParamSlab from = fresh(c.spec, c.hyper);
  const There block(announced);
  const auto train = [&](nn::Workspace& workspace, Net& net) {
    const nn::Workspace::Lease lease(workspace, memory(), {block.at(), announced});
    return nn::train_steps(kernels(), workspace, net.slab, rows.view(c.spec), c.hyper, kHundred);
  };
  nn::Workspace roomy, workspace;
  Net wanted(from), first(from), second(from), third(from);
  const nn::TrainStats stats = train(roomy, wanted);
  {
    const Full full(4096);
    const std::size_t left = memory_left();
    EXPECT_EQ(train(workspace, first), stats);
    EXPECT_EQ(train(workspace, second), stats) << "nothing is left of what did not fit";
    EXPECT_EQ(memory_left(), left);
  }
  const std::size_t before = memory_left();
  EXPECT_EQ(train(workspace, third), stats);
  EXPECT_LT(memory_left(), before) << "it is kept again when there is room";
  for (const Net* net : {&first, &second, &third})
    EXPECT_TRUE(std::ranges::equal(net->back().bytes(), wanted.back().bytes()));
}

TEST(OnDevice, ANetworkThatDoesNotFitIsAnErrorAndTheNextOneTrains) {
  std::size_t left = 0, all = 0;
  kern::test::device().memory_left(left, all);
  const Case c{"", nn_test::mlp(36, {24}, 3), hyper("sgd", {{"lr", 0.05}})};
  nn::Workspace workspace;
  EXPECT_THROW((void)workspace.arena(all + 1, memory()), kern::OutOfMemory);
  const Rows rows(table());
  Net net(fresh(c.spec, c.hyper));
  const nn::TrainStats stats =
      nn::train_steps(kernels(), workspace, net.slab, rows.view(c.spec), c.hyper, {0, 1});
  EXPECT_GT(stats.steps, 0);
}

}  // namespace
