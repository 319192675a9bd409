#include "nn/training/train.h"
#include "base/error.h"

#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/device.h"
#include "nn/data/block.h"
#include "nn/model/init.h"
#include "nn/training/gradient_sink.h"
#include "nn/training/random.h"
#include "nn/training/trainer.h"
#include "tests/nn/nets.h"
#include "tests/nn/threads.h"

namespace {

using nn_test::hyper;
using nn_test::Table;
using nn_test::Threads;

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h) {
  nn::ParamSlab slab(nn::slab_header(spec, h.optimizer));
  nn::init_weights(slab, 11);
  return slab;
}

bool same_bits(const nn::ParamSlab& a, const nn::ParamSlab& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

const std::vector<nn::Hyper>& some_hypers() {
  static const std::vector<nn::Hyper> kHypers{
      hyper("sgd", {{"lr", 0.05}}),
      hyper("sgd", {{"lr", 0.05}, {"momentum", 0.9}}, 16, 3),
      hyper("sgd", {{"lr", 0.05}, {"momentum", 0.9}, {"nesterov", true}}),
      hyper("adam", {{"lr", 0.01}}, 7, 2),
      hyper("adamw", {{"lr", 0.01}}),
      hyper("rmsprop", {{"lr", 0.01}, {"momentum", 0.5}}),
      hyper("lars", {{"lr", 3.0}, {"weight_decay", 1e-4}}, 16, 2),
      hyper("lamb", {{"lr", 0.005}}),
      hyper("sgd+late", {{"lr", 0.05}, {"momentum", 0.5}}, 16, 3)};
  return kHypers;
}

#if defined(__SSE2__)
TEST(Train, RefusesAThreadThatKeepsDenormals) {
  const Table table(40, 10, 3);
  const nn::Hyper h = hyper("sgd", {{"lr", 0.05}});
  nn::ParamSlab net = fresh(nn_test::mlp(10, {24}, 3), h);
  nn::Workspace workspace;
  std::string message;
  std::jthread([&] {
    _mm_setcsr(0x1f80);
    try {
      (void)nn::train_steps(kern::cpu_kernels(), workspace, net, table.view(), h, {0, 1});
    } catch (const base::Error& error) {
      message = error.what();
    }
  }).join();
  EXPECT_NE(message.find("expected kern::prepare_thread()"), std::string::npos) << message;
}
#endif

/// Batch normalization by as few as three rows makes the last steps noisy: 0.90 to 0.99, by the
/// instruction set. One class of the three would be 0.5 at most.
TEST(Train, LearnsALinearRule) {
  const Table table(400, 10, 3);
  const std::vector<std::pair<nn::ModelSpec, double>> accuracies{{nn_test::mlp(10, {24}, 3), 0.95},
                                                                 {nn_test::normed(10, 24, 3), 0.8}};
  for (const nn::Hyper& h : some_hypers()) {
    for (const auto& [spec, accuracy] : accuracies) {
      SCOPED_TRACE(nn::describe(spec) + ", " + h.optimizer.kind);
      nn::ParamSlab net = fresh(spec, h);
      nn::Workspace workspace;
      const nn::Scores before = nn::evaluate(cpu(), workspace, net, table.view(), h.loss);
      const nn::TrainStats stats = nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 30});
      const nn::Scores after = nn::evaluate(cpu(), workspace, net, table.view(), h.loss);
      EXPECT_GT(after.accuracy, accuracy);
      EXPECT_LT(after.loss, before.loss);
      EXPECT_EQ(stats.rows, 30 * 400);
      EXPECT_EQ(stats.steps, 30 * ((400 + h.batch - 1) / h.batch));
      EXPECT_EQ(net.state().steps, stats.steps);
      EXPECT_FALSE(stats.diverged || stats.stopped);
    }
  }
}

TEST(Train, LearnsNumbers) {
  const Table table(400, 6, 2);
  const nn::Hyper h = hyper("adam", {{"lr", 0.01}}, 32, 1, "mse");
  nn::ParamSlab net = fresh(nn_test::mlp(6, {32}, 2, "tanh"), h);
  nn::Workspace workspace;
  (void)nn::train_steps(cpu(), workspace, net, table.view(true), h, {0, 40});
  const nn::Scores scores = nn::evaluate(cpu(), workspace, net, table.view(true), h.loss);
  const std::map<std::string, double> metrics(scores.metrics.begin(), scores.metrics.end());
  EXPECT_GT(metrics.at("r2"), 0.95);
}

TEST(Train, ShardsOnSeveralThreadsGiveTheSameBits) {
  const Table table(101, 36, 3);
  const nn::ModelSpec spec = nn_test::assorted(2, 3);
  for (const nn::Hyper& h : {hyper("adam", {{"lr", 0.01}}, 20, 4), hyper("sgd", {}, 8, 8)}) {
    nn::ParamSlab alone = fresh(spec, h), together = fresh(spec, h);
    nn::Workspace one, own;
    Threads threads(own, 3);
    const nn::TrainStats a = nn::train_steps(cpu(), one, alone, table.view(), h, {0, 2});
    const nn::TrainStats b =
        nn::train_steps(cpu(), own, together, table.view(), h, {0, 2}, {}, &threads);
    EXPECT_EQ(a, b);
    EXPECT_TRUE(same_bits(alone, together));
    EXPECT_EQ(nn::evaluate(cpu(), one, alone, table.view(), h.loss),
              nn::evaluate(cpu(), own, together, table.view(), h.loss, &threads));
  }
}

TEST(Train, AnUpdateLayerByLayerIsTheUpdateOfTheWhole) {
  const Table table(101, 784, 10), small(101, 36, 10);
  for (const auto& [data, spec] : {std::pair{&table, nn_test::mlp(784, {64, 40, 8}, 10)},
                                   // Slices that would leave a single row.
                                   {&table, nn_test::mlp(784, {57, 256, 113, 64}, 10)},
                                   {&table, nn_test::lenet(4, 8, 48)},
                                   {&small, nn_test::normed(36, 33, 10)},
                                   {&small, nn_test::assorted(3, 10)},
                                   {&small, nn_test::residual(36, 32, 10)}}) {
    for (nn::Hyper h : some_hypers()) {
      h.shards = 1;
      nn::ParamSlab by_layer = fresh(spec, h), whole = fresh(spec, h);
      nn::Workspace one, other;
      (void)nn::train_steps(cpu(), one, by_layer, data->view(), h, {0, 2});
      h.clip = 1e30;  // needs the whole gradient first, and changes nothing
      (void)nn::train_steps(cpu(), other, whole, data->view(), h, {0, 2});
      EXPECT_TRUE(same_bits(by_layer, whole)) << nn::describe(spec) << h.optimizer.kind;
    }
  }
}

/// Counts what a pass hands over.
class Counting final : public nn::GradientSink<float> {
 public:
  void take(kern::Exec&, std::size_t offset, std::size_t count, const float*) override {
    taken[offset] = count;
  }
  std::map<std::size_t, std::size_t> taken;
};

TEST(Train, GradientsAreHandedOverOnceAndNeverByASingleRow) {
  const nn::ModelSpec spec = nn::complete(nn_test::mlp(57, {256, 113, 64}, 10));
  const nn::Network<float> network(spec, cpu(), 8, nn::Use::training);
  const nn::Hyper h = hyper("sgd", {}, 8);
  const Table table(8, 57, 10);
  const nn::DataView data = table.view();
  const auto loss = nn::loss_function<float>(h.loss, data);
  const nn::BatchReader<float> reader(network, data);
  nn::Block arena(network.arena_bytes()), targets(reader.target_bytes()),
      gradient(network.layout().count * sizeof(float));
  const nn::ParamSlab net = fresh(spec, h);
  const nn::Target target = reader.read(arena.bytes().data(), targets.bytes().data(), data.rows);
  Counting sink;
  (void)network.loss_and_gradient(arena.bytes().data(), net.weights().data(), 8, *loss, target,
                                  1.0f, gradient.array<float>(0, network.layout().count).data(), {},
                                  &sink);
  for (const nn::ParamTensor& tensor : network.layout().tensors) {
    std::size_t next = tensor.offset, pieces = 0;
    for (; next < tensor.offset + tensor.count; next += sink.taken.at(next), ++pieces) {
      if (tensor.dims.size() == 2) {
        EXPECT_GT(sink.taken.at(next), std::size_t(tensor.dims[1])) << tensor.name;
      }
    }
    EXPECT_EQ(next, tensor.offset + tensor.count) << tensor.name << " in " << pieces;
  }
}

TEST(Train, ShardsFollowTheWorkOfAStep) {
  const auto shards = [](const nn::ModelSpec& spec, int batch, int given = 0) {
    nn::Hyper h = hyper("sgd", {}, batch);
    h.shards = given;
    return nn::shards_of(h, nn::complete(spec));
  };
  EXPECT_EQ(shards(nn_test::mlp(784, {512, 512}, 10), 64), 1);   // 64 uses of each weight
  EXPECT_EQ(shards(nn_test::mlp(784, {512, 512}, 10), 256), 2);  // 256 uses
  EXPECT_EQ(shards(nn_test::mlp(784, {16}, 10), 256), 1);        // 19 MFLOP
  EXPECT_EQ(shards(nn_test::lenet(16, 32, 128), 64), 4);         // 384 MFLOP
  EXPECT_EQ(shards(nn_test::lenet(32, 64, 512), 256), 8);
  EXPECT_EQ(shards(nn_test::mlp(784, {16}, 10), 256, 3), 3);
}

TEST(Train, OneLongSegmentEqualsShortOnesBitForBit) {
  const Table table(101, 36, 3);
  for (const nn::ModelSpec& spec : {nn_test::mlp(36, {9, 5}, 3, "tanh"), nn_test::normed(36, 9, 3),
                                    nn_test::residual(36, 9, 3), nn_test::assorted(3, 3)}) {
    for (const nn::Hyper& h : some_hypers()) {
      nn::ParamSlab whole = fresh(spec, h), parts = fresh(spec, h);
      nn::Workspace one, other;
      (void)nn::train_steps(cpu(), one, whole, table.view(), h, {0, 3});
      (void)nn::train_steps(cpu(), other, parts, table.view(), h, {0, 1});
      EXPECT_FALSE(same_bits(whole, parts));
      (void)nn::train_steps(cpu(), other, parts, table.view(), h, {1, 3});
      EXPECT_TRUE(same_bits(whole, parts)) << nn::describe(spec) << h.optimizer.kind;
    }
  }
}

TEST(Train, SegmentsFinerThanAnEpochAddUpBitForBit) {
  const Table table(101, 36, 3);
  const nn::ModelSpec spec = nn_test::assorted(2, 3);
  const std::vector<std::vector<nn::Segment>> cuts{
      {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 8, 4}, {2, 3}},
      {{0, 5, 7}, {5, 7, 7}, {3, 4, 3}, {4, 9, 3}},
      {{0, 3000, 1000}},
      {{0, 1}, {100, 101, 100}, {101, 300, 100}}};
  for (const nn::Hyper& h : some_hypers()) {
    nn::ParamSlab whole = fresh(spec, h);
    nn::Workspace one;
    const nn::TrainStats all = nn::train_steps(cpu(), one, whole, table.view(), h, {0, 3});
    for (const auto& cut : cuts) {
      nn::ParamSlab parts = fresh(spec, h);
      std::int64_t steps = 0, rows = 0;
      for (const nn::Segment& segment : cut) {
        const nn::TrainStats stats = nn::train_steps(cpu(), one, parts, table.view(), h, segment);
        EXPECT_EQ(stats.rows, nn::rows_in(segment, 101, h.batch));
        steps += stats.steps;
        rows += stats.rows;
      }
      EXPECT_EQ(steps, all.steps);
      EXPECT_EQ(rows, all.rows);
      EXPECT_TRUE(same_bits(whole, parts)) << h.optimizer.kind;
    }
  }
}

TEST(Train, ASegmentHasOneFormOnTheCoarsestGrid) {
  EXPECT_EQ(nn::reduced({8, 12, 4}), (nn::Segment{2, 3, 1}));
  EXPECT_EQ(nn::reduced({9, 12, 4}), (nn::Segment{9, 12, 4}));
  EXPECT_EQ(nn::reduced({0, 2, 4}), (nn::Segment{0, 1, 2}));
  EXPECT_DOUBLE_EQ(nn::epochs_in({9, 12, 4}), 0.75);
  EXPECT_EQ(nn::rows_in({0, 2}, 101, 16), 202);
  EXPECT_EQ(nn::rows_in({3, 4, 4}, 101, 16), 101 - 5 * 16);  // 7 steps an epoch, boundary 3 after 5
}

TEST(Train, ASegmentThatIsNoneIsRefused) {
  const Table table(20, 6, 3);
  const nn::Hyper h = hyper("sgd", {}, 16);
  nn::ParamSlab net = fresh(nn_test::mlp(6, {9}, 3), h);
  nn::Workspace workspace;
  for (const nn::Segment& none : {nn::Segment{2, 1}, nn::Segment{-1, 1}, nn::Segment{0, 1, 0}})
    EXPECT_THROW((void)nn::train_steps(cpu(), workspace, net, table.view(), h, none), base::Error);
}

TEST(Train, BitsDoNotDependOnTheWorkspacesPast) {
  const Table table(60, 6, 3), images(40, 784, 10);
  const nn::Hyper h = hyper("adam", {}, 16, 2);
  nn::ParamSlab a = fresh(nn_test::mlp(6, {9}, 3), h), b = fresh(nn_test::mlp(6, {9}, 3), h);
  nn::ParamSlab other = fresh(nn_test::lenet(4, 4, 8), h);
  nn::Workspace clean, used;
  std::memset(used.arena(1 << 20), 0xff, 1 << 20);
  (void)nn::train_steps(cpu(), used, other, images.view(), h, {0, 1});
  (void)nn::train_steps(cpu(), clean, a, table.view(), h, {0, 2});
  (void)nn::train_steps(cpu(), used, b, table.view(), h, {0, 1});
  (void)nn::evaluate(cpu(), used, other, images.view(), h.loss);
  (void)nn::train_steps(cpu(), used, b, table.view(), h, {1, 2});
  EXPECT_TRUE(same_bits(a, b));
}

TEST(Train, AnEvaluationOfAsManyRowsLeavesThePlanOfTrainingAlone) {
  const Table table(2 * nn::kEvaluateRows, 6, 3);
  const nn::Hyper h = hyper("sgd", {}, nn::kEvaluateRows);
  nn::ParamSlab a = fresh(nn_test::mlp(6, {9, 9}, 3), h), b = fresh(nn_test::mlp(6, {9, 9}, 3), h);
  nn::Workspace clean, used;
  (void)nn::train_steps(cpu(), clean, a, table.view(), h, {0, 1});
  (void)nn::evaluate(cpu(), used, b, table.view(), h.loss);
  (void)nn::train_steps(cpu(), used, b, table.view(), h, {0, 1});
  EXPECT_TRUE(same_bits(a, b));
}

TEST(Init, InPartsTheBitsAreTheSame) {
  const nn::ParamSlab::Header header = nn::slab_header(nn_test::mlp(783, {1101}, 3), {"adam", {}});
  nn::ParamSlab alone(header), together(header);
  std::ranges::fill(together.bytes(), std::byte{7});
  nn::init_weights(alone, 3);
  nn::Workspace own;
  Threads threads(own, 3);
  nn::init_weights(together, 3, &threads);
  EXPECT_TRUE(std::ranges::equal(alone.bytes(), together.bytes()));
}

TEST(Evaluate, AChunkHasFewerRowsWhereARowIsLarge) {
  const auto rows = [](std::int64_t side, std::int64_t channels, const kern::Memory& memory) {
    nn::ModelSpec spec{nn::Shape::image(side, side, 1), {}};
    spec.layers = {{"conv2d", "c1", {{"units", channels}, {"kernel", std::int64_t{1}}}},
                   {"global_pool", "pool", {}}};
    return nn::evaluate_rows(memory, nn::complete(nn::with_output(spec, 3)));
  };
  const kern::Memory& here = kern::kOwnMemory;
  const kern::Memory& there = *kern::device_plans().memory;
  EXPECT_EQ(rows(8, 4, here), 128);
  EXPECT_EQ(rows(8, 4, there), 512);
  EXPECT_EQ(rows(128, 8, here), 128) << "64 MiB";
  EXPECT_EQ(rows(128, 9, here), 64);
  EXPECT_EQ(rows(128, 9, there), 64);
  EXPECT_EQ(rows(1024, 32, here), 1) << "a row of more than that";
}

TEST(Train, ShardsAreSummedInOrder) {
  const Table table(10, 6, 3);
  const nn::ModelSpec spec = nn_test::mlp(6, {9}, 3);
  const nn::Hyper h = hyper("sgd", {{"lr", 1.0}}, 10, 3);
  nn::ParamSlab trained = fresh(spec, h), expected = fresh(spec, h);
  nn::Workspace workspace;
  (void)nn::train_steps(cpu(), workspace, trained, table.view(), h, {0, 1});

  // The same by hand: parts of 3, 3 and 4 rows of the batch, each scaled by a tenth, added from the
  // first on.
  std::vector<std::uint32_t> order;
  nn::epoch_order(h.shuffle, 0, 10, order);
  const nn::DataView data = table.view();
  const nn::Network<float> network(spec, cpu(), 4, nn::Use::training);
  const nn::BatchReader<float> reader(network, data);
  nn::Block memory(network.arena_bytes() + 64), targets(reader.target_bytes());
  std::vector<float> sum(network.layout().count, 0.0F), part = sum;
  for (const auto& [from, rows] : {std::pair{0, 3}, {3, 3}, {6, 4}}) {
    const nn::Target target =
        reader.read(memory.bytes().data(), targets.bytes().data(),
                    std::span(order).subspan(std::size_t(from), std::size_t(rows)));
    (void)network.loss_and_gradient(memory.bytes().data(), expected.weights().data(), rows,
                                    *nn::loss_function<float>(h.loss, data), target, 1.0F / 10.0F,
                                    part.data());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) expected.weights()[i] -= sum[i];
  EXPECT_TRUE(std::ranges::equal(trained.weights(), expected.weights()));
}

/// The weights after one step of rate 1, with all shards' gradients in memory.
std::vector<float> step_by_hand(const nn::ParamSlab& net, const Table& table, const nn::Hyper& h) {
  std::vector<std::uint32_t> order;
  const std::size_t rows = table.rows.size(), shards = std::size_t(h.shards);
  nn::epoch_order(h.shuffle, 0, rows, order);
  const nn::DataView data = table.view();
  const nn::Network<float> network(net.spec(), cpu(), nn::largest_part(h.batch, h.shards),
                                   nn::Use::training);
  const nn::BatchReader<float> reader(network, data);
  nn::Block memory(network.arena_bytes() + 64), targets(reader.target_bytes());
  std::vector<float> weights(net.weights().begin(), net.weights().end());
  std::vector<std::vector<float>> gradients;
  for (std::size_t i = 0; i < shards; ++i) {
    const std::size_t from = rows * i / shards, to = rows * (i + 1) / shards;
    const nn::Target target = reader.read(memory.bytes().data(), targets.bytes().data(),
                                          std::span(order).subspan(from, to - from));
    gradients.emplace_back(network.layout().count);
    (void)network.loss_and_gradient(memory.bytes().data(), weights.data(), int(to - from),
                                    *nn::loss_function<float>(h.loss, data), target,
                                    1.0F / float(rows), gradients.back().data());
  }
  for (std::size_t width = 1; width < shards; width *= 2) {
    for (std::size_t left = 0; left + width < shards; left += 2 * width)
      for (std::size_t e = 0; e < weights.size(); ++e)
        gradients[left][e] += gradients[left + width][e];
  }
  for (std::size_t e = 0; e < weights.size(); ++e) weights[e] -= gradients[0][e];
  return weights;
}

TEST(Train, ManyShardsInWavesAreTheTreeOfAllAtOnce) {
  const Table table(401, 6, 3);
  for (const int shards : {63, 64, 65, 128, 129, 200, 300, 401}) {
    const nn::Hyper h = hyper("sgd", {{"lr", 1.0}}, 401, shards);
    const nn::ModelSpec spec = nn_test::mlp(6, {9}, 3);
    nn::ParamSlab alone = fresh(spec, h), together = fresh(spec, h);
    const std::vector<float> expected = step_by_hand(alone, table, h);
    nn::Workspace workspace;
    Threads threads(workspace, 3);
    (void)nn::train_steps(cpu(), workspace, alone, table.view(), h, {0, 1});
    (void)nn::train_steps(cpu(), workspace, together, table.view(), h, {0, 1}, {}, &threads);
    EXPECT_TRUE(std::ranges::equal(alone.weights(), expected)) << shards;
    EXPECT_TRUE(std::ranges::equal(together.weights(), expected)) << shards;
  }
}

TEST(Train, MemoryGrowsWithTheLogarithmOfManyShards) {
  const Table table(8192, 36, 3);
  const nn::ModelSpec spec = nn_test::mlp(36, {64}, 3);
  const auto bytes = [&](int shards) {
    const nn::Network<float> network(spec, cpu(), nn::largest_part(8192, shards),
                                     nn::Use::training);
    return nn::Trainer<float>::arena_bytes(network, table.view(), shards);
  };
  EXPECT_LE(bytes(8192), (64 + 7 + 1) * nn::param_layout(nn::complete(spec)).count * sizeof(float));
}

TEST(Train, MoreShardsThanRowsInTheLastBatch) {
  const Table table(18, 6, 3);  // batches of 16 and 2
  const nn::Hyper h = hyper("sgd", {{"lr", 0.1}}, 16, 8);
  nn::ParamSlab net = fresh(nn_test::mlp(6, {9}, 3), h);
  nn::Workspace workspace;
  const nn::TrainStats stats = nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 1});
  EXPECT_EQ(stats.rows, 18);
  EXPECT_EQ(stats.steps, 2);
  EXPECT_TRUE(std::isfinite(stats.loss));
}

TEST(Train, FloatFollowsDouble) {
  const Table table(64, 8, 4);
  const nn::DataView data = table.view();
  const nn::ModelSpec spec = nn_test::mlp(8, {16, 12}, 4, "tanh");
  for (const nn::Hyper& h : some_hypers()) {
    const int part = nn::largest_part(h.batch, h.shards);
    const nn::Network<float> fast(spec, cpu(), part, nn::Use::training);
    const nn::Network<double> exact(spec, kern::ref_kernels<double>(), part, nn::Use::training);
    const auto loss = nn::loss_function<float>(h.loss, data);
    const auto exact_loss = nn::loss_function<double>(h.loss, data);
    const auto fast_update = nn::optimizer_of(h.optimizer.kind).bind(h.optimizer.fields, float{});
    const auto exact_update = nn::optimizer_of(h.optimizer.kind).bind(h.optimizer.fields, double{});
    nn::Block fast_arena(nn::Trainer<float>::arena_bytes(fast, data, h.shards));
    nn::Block exact_arena(nn::Trainer<double>::arena_bytes(exact, data, h.shards));
    nn::ParamSlab slab = fresh(spec, h);
    std::vector<double> weights(slab.weights().begin(), slab.weights().end());
    std::vector<double> slots(weights.size() * std::size_t(slab.header().slots), 0.0);
    const nn::StepPlan plan{.shards = h.shards};
    nn::Trainer<float> a(plan, {.network = fast,
                                .loss = *loss,
                                .update = *fast_update,
                                .data = data,
                                .weights = slab.weights().data(),
                                .slots = slab.weights().data() + slab.count(),
                                .arena = fast_arena.bytes().data()});
    nn::Trainer<double> b(plan, {.network = exact,
                                 .loss = *exact_loss,
                                 .update = *exact_update,
                                 .data = data,
                                 .weights = weights.data(),
                                 .slots = slots.data(),
                                 .arena = exact_arena.bytes().data()});
    const double lr = nn::real(h.optimizer.fields, "lr");
    for (std::int64_t step = 1; step <= 60; ++step) {
      std::vector<std::uint32_t> rows;
      nn::epoch_order(3, step, 64, rows);
      rows.resize(std::size_t(h.batch));
      const nn::Step next{.rows = rows, .number = step, .rate = lr};
      const auto got = a.step(next), want = b.step(next);
      ASSERT_NEAR(got.loss, want.loss, 2e-4 * std::max(1.0, want.loss))
          << h.optimizer.kind << " step " << step;
    }
  }
}

TEST(Train, DivergenceIsReportedAndStopsAtOnce) {
  const Table table(64, 6, 2);
  const nn::Hyper h = hyper("sgd", {{"lr", 1e30}}, 16, 1, "mse");
  nn::ParamSlab net = fresh(nn_test::mlp(6, {9}, 2), h);
  nn::Workspace workspace;
  const nn::TrainStats stats = nn::train_steps(cpu(), workspace, net, table.view(true), h, {0, 50});
  EXPECT_TRUE(stats.diverged);
  EXPECT_FALSE(std::isfinite(stats.loss));
  EXPECT_LT(stats.steps, 10);
  EXPECT_EQ(net.state().steps, stats.steps - 1);

  nn::ParamSlab before = fresh(nn_test::mlp(6, {9}, 2), h);  // as the last good step left it
  std::int64_t polled = 0;
  (void)nn::train_steps(cpu(), workspace, before, table.view(true), h, {0, 50},
                        [&] { return ++polled == stats.steps; });
  EXPECT_TRUE(same_bits(net, before));
}

TEST(Train, TheStopPredicateIsPolledAtEveryStep) {
  const Table table(64, 6, 3);
  const nn::Hyper h = hyper("sgd", {}, 16);
  nn::ParamSlab net = fresh(nn_test::mlp(6, {9}, 3), h);
  nn::Workspace workspace;
  int polled = 0;
  const nn::TrainStats stats = nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 50},
                                               [&] { return ++polled == 6; });
  EXPECT_TRUE(stats.stopped);
  EXPECT_EQ(stats.steps, 5);
}

TEST(Train, WhatDoesNotFitIsRefused) {
  const Table table(20, 6, 3);
  nn::Workspace workspace;
  const nn::Hyper h = hyper("sgd", {});
  const auto error = [&](const nn::ModelSpec& spec, const nn::Hyper& used, bool numbers) {
    nn::ParamSlab net = fresh(spec, h);
    try {
      (void)nn::train_steps(cpu(), workspace, net, table.view(numbers), used, {0, 1});
    } catch (const base::Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error(nn_test::mlp(5, {}, 3), h, false), "the network takes 5 inputs, the data has 6");
  EXPECT_EQ(error(nn_test::mlp(6, {}, 4), h, false),
            "the network has 4 outputs, the data 3 classes");
  EXPECT_EQ(error(nn_test::mlp(6, {}, 3), h, true),
            "loss cross_entropy is for classes, but the target holds numbers");
  EXPECT_EQ(error(nn_test::mlp(6, {}, 3), hyper("adam", {}), false),
            "the network's state is for optimizer sgd with 0 slots, not for adam with 2");
}

TEST(Evaluate, NumbersAreInTheUnitsOfTheData) {
  Table table(600, 3, 2);
  const nn::Hyper h = hyper("sgd", {}, 16, 1, "mse");
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(3, {}, 2), h.optimizer));  // all zero: predicts 0
  nn::Workspace workspace;
  nn::DataView data = table.view(true);
  const std::vector<nn::TargetColumn> columns{{.name = "y", .unit = 10}, {.name = "z", .unit = 10}};
  data.target_columns = columns;
  double squared = 0, absolute = 0, mean[2] = {0, 0}, variance[2] = {0, 0}, residual[2] = {0, 0};
  for (std::size_t i = 0; i < 1200; ++i) {
    const double t = double{table.targets[i]};
    squared += t * t / 1200;
    absolute += std::abs(t) / 1200;
    mean[i % 2] += t / 600;
    residual[i % 2] += t * t;
  }
  for (std::size_t i = 0; i < 1200; ++i) {
    const double d = double{table.targets[i]} - mean[i % 2];
    variance[i % 2] += d * d;
  }
  const nn::Scores s = nn::evaluate(cpu(), workspace, net, data, h.loss);
  EXPECT_EQ(s.rows, 600);
  EXPECT_NEAR(s.loss, squared, 1e-5);
  const std::map<std::string, double> metrics(s.metrics.begin(), s.metrics.end());
  EXPECT_NEAR(metrics.at("mse"), 100 * squared, 1e-4);
  EXPECT_NEAR(metrics.at("mae"), 10 * absolute, 1e-4);
  EXPECT_NEAR(metrics.at("r2"), 1 - (residual[0] / variance[0] + residual[1] / variance[1]) / 2,
              1e-9);
}

TEST(Evaluate, CountsLabelsAndIgnoresRowsOutsideThePart) {
  Table table(300, 3, 2);
  std::ranges::fill(table.labels, 0);
  for (std::size_t i = 0; i < 30; ++i) table.labels[i] = 1;
  const nn::Hyper h = hyper("sgd", {});
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(3, {}, 2), h.optimizer));
  net.weights()[nn::param_layout(net.spec()).find("output.bias")->offset] = 1;  // always class 0
  nn::Workspace workspace;
  EXPECT_DOUBLE_EQ(nn::evaluate(cpu(), workspace, net, table.view(), h.loss).accuracy, 0.9);
  nn::DataView part = table.view();
  part.rows = part.rows.subspan(20, 20);
  const nn::Scores s = nn::evaluate(cpu(), workspace, net, part, h.loss);
  EXPECT_EQ(s.correct, 10);
  EXPECT_EQ(s.rows, 20);
  part.rows = {};
  EXPECT_EQ(nn::evaluate(cpu(), workspace, net, part, h.loss), nn::Scores{});
}

TEST(Evaluate, PredictionsArePutOutInTheOrderOfTheRows) {
  const Table table(600, 4, 3);
  const nn::Hyper h = hyper("sgd", {});
  const nn::ParamSlab net = fresh(nn_test::mlp(4, {6}, 3), h);
  nn::Workspace workspace;
  nn::DataView all = table.view();
  all.labels = nullptr;
  std::vector<float> out(1800), some(9);
  nn::predict(cpu(), workspace, net, all, out);
  const std::vector<std::uint32_t> rows{599, 0, 300};
  nn::DataView few = all;
  few.rows = rows;
  nn::predict(cpu(), workspace, net, few, some);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(some[i], out[rows[i / 3] * 3 + i % 3], 1e-5F);
  EXPECT_THROW(nn::predict(cpu(), workspace, net, all, some), base::Error);
}

}  // namespace
