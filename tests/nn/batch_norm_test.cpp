// Batch normalisation beyond its gradient: what the running statistics are, and who may touch them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/data/block.h"
#include "nn/model/init.h"
#include "nn/training/random.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::hyper;
using nn_test::Table;

const kern::Kernels<float>& ref() {
  kern::prepare_thread();
  return kern::ref_kernels<float>();
}

/// 5 features -> bn -> 3 outputs.
nn::ModelSpec bare() {
  return nn::with_output({nn::Shape::features(5), {{"batch_norm", "bn", {}}}}, 3);
}

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h) {
  nn::ParamSlab slab(nn::slab_header(spec, h.optimizer));
  nn::init_weights(slab, 11);
  return slab;
}

std::vector<float> values(const nn::ParamSlab& net, const std::string& tensor) {
  const nn::ParamLayout layout = nn::param_layout(net.spec());
  const nn::ParamTensor& t = *layout.find(tensor);
  const auto all = net.weights().subspan(t.offset, t.count);
  return {all.begin(), all.end()};
}

struct Moments {
  double mean = 0, variance = 0;  // of a sample: n - 1
};

/// Of one feature as the network sees it, over rows [from, to) of the table in `order`.
Moments moments(const Table& table, std::span<const std::uint32_t> order, std::size_t feature) {
  Moments m;
  const auto value = [&](std::uint32_t row) {
    return double{(table.x[row * 5 + feature] - table.shift[feature]) * table.scale[feature]};
  };
  for (const auto row : order) m.mean += value(row) / double(order.size());
  for (const auto row : order) {
    m.variance += std::pow(value(row) - m.mean, 2) / double(order.size() - 1);
  }
  return m;
}

TEST(BatchNorm, StateLiesBehindWhatIsTrained) {
  const nn::ParamLayout layout = nn::param_layout(nn_test::normed(4, 6, 2));
  for (const nn::ParamTensor& tensor : layout.tensors) {
    EXPECT_EQ(tensor.offset < layout.trained, nn::trained(tensor.role)) << tensor.name;
  }
  EXPECT_EQ(layout.count - layout.trained, 4U * nn::kAlignElements);
  EXPECT_EQ(nn::weight_count(nn_test::normed(4, 6, 2)), 4U * 6 + 6 + 12 + 36 + 6 + 12 + 12 + 2);
}

TEST(BatchNorm, StartsAsTheIdentity) {
  const nn::ParamSlab net = fresh(bare(), hyper("sgd", {}));
  EXPECT_EQ(values(net, "bn.scale"), std::vector<float>(5, 1));
  EXPECT_EQ(values(net, "bn.shift"), std::vector<float>(5, 0));
  EXPECT_EQ(values(net, "bn.mean"), std::vector<float>(5, 0));
  EXPECT_EQ(values(net, "bn.variance"), std::vector<float>(5, 1));
  const nn::ParamLayout layout = nn::param_layout(net.spec());
  float alone = 7;
  nn::init_unit(*layout.find("bn.scale"), "bn", 11, 2, {}, {&alone, 1});
  EXPECT_EQ(alone, 1);
  nn::init_unit(*layout.find("bn.mean"), "bn", 11, 2, {}, {&alone, 1});
  EXPECT_EQ(alone, 0);
}

TEST(BatchNorm, RunningStatisticsFollowTheBatches) {
  const Table table(20, 5, 3);
  for (const int shards : {1, 3}) {
    const nn::Hyper h = hyper("sgd", {{"lr", 0.1}}, 20, shards);
    nn::ParamSlab net = fresh(bare(), h);
    nn::Workspace workspace;
    (void)nn::train_steps(ref(), workspace, net, table.view(), h, {0, 1});
    std::vector<std::uint32_t> order;
    nn::epoch_order(h.shuffle, 0, 20, order);
    const auto mean = values(net, "bn.mean"), variance = values(net, "bn.variance");
    for (std::size_t f = 0; f < 5; ++f) {
      Moments expected;
      for (int s = 0; s < shards; ++s) {
        const std::size_t from = std::size_t(20 * s / shards),
                          to = std::size_t(20 * (s + 1) / shards);
        const Moments part = moments(table, std::span(order).subspan(from, to - from), f);
        expected.mean += part.mean * double(to - from) / 20;
        expected.variance += part.variance * double(to - from) / 20;
      }
      EXPECT_NEAR(mean[f], 0.1 * expected.mean, 1e-6) << shards;
      EXPECT_NEAR(variance[f], 0.9 + 0.1 * expected.variance, 1e-6) << shards;
    }
  }
}

TEST(BatchNorm, APartOfOneRowLeavesTheVarianceAlone) {
  const Table table(3, 5, 3);
  const nn::Hyper h = hyper("sgd", {}, 3, 3);
  nn::ParamSlab net = fresh(bare(), h);
  nn::Workspace workspace;
  const nn::TrainStats stats = nn::train_steps(ref(), workspace, net, table.view(), h, {0, 2});
  EXPECT_TRUE(std::isfinite(stats.loss));
  for (const float v : values(net, "bn.variance")) EXPECT_NEAR(v, 1, 1e-6);
  for (const float w : net.weights()) EXPECT_TRUE(std::isfinite(w));
}

TEST(BatchNorm, NeitherOptimizersNorWeightDecayTouchTheState) {
  const Table table(40, 5, 3);
  const nn::Hyper still = hyper("sgd", {{"lr", 1e-30}}, 10, 2);
  nn::ParamSlab expected = fresh(bare(), still);
  nn::Workspace workspace;
  (void)nn::train_steps(ref(), workspace, expected, table.view(), still, {0, 3});
  for (const auto& [kind, fields] : std::vector<std::pair<std::string, nn::Fields>>{
           {"sgd", {{"weight_decay", 0.1}, {"momentum", 0.9}}},
           {"adam", {{"weight_decay", 0.1}}},
           {"rmsprop", {{"weight_decay", 0.1}, {"momentum", 0.5}}}}) {
    const nn::Hyper h = hyper(kind, fields, 10, 2);
    nn::ParamSlab net = fresh(bare(), h);
    (void)nn::train_steps(ref(), workspace, net, table.view(), h, {0, 3});
    // The layer is the first, so its statistics are those of the data, whatever is learnt.
    EXPECT_EQ(values(net, "bn.mean"), values(expected, "bn.mean")) << kind;
    EXPECT_EQ(values(net, "bn.variance"), values(expected, "bn.variance")) << kind;
    EXPECT_NE(values(net, "bn.scale"), values(expected, "bn.scale")) << kind;
    const std::size_t trained = nn::param_layout(net.spec()).trained;
    for (int i = 0; i < net.header().slots; ++i) {
      EXPECT_TRUE(
          std::ranges::all_of(net.slot(i).subspan(trained), [](float v) { return v == 0; }));
      EXPECT_TRUE(std::ranges::any_of(net.slot(i), [](float v) { return v != 0; }));
    }
  }
}

TEST(BatchNorm, InferenceUsesTheRunningStatisticsOfEachRowAlone) {
  const Table table(30, 5, 3);
  const nn::Hyper h = hyper("adam", {}, 10);
  nn::ParamSlab net = fresh(bare(), h);
  nn::Workspace workspace;
  (void)nn::train_steps(ref(), workspace, net, table.view(), h, {0, 2});
  std::vector<float> together(30 * 3), alone(3);
  nn::predict(ref(), workspace, net, table.view(), together);
  for (std::uint32_t row = 0; row < 30; ++row) {
    nn::DataView one = table.view();
    one.rows = std::span(table.rows).subspan(row, 1);
    nn::predict(ref(), workspace, net, one, alone);
    for (std::size_t o = 0; o < 3; ++o) EXPECT_EQ(alone[o], together[row * 3 + o]);
  }
}

TEST(BatchNorm, ADivergedStepChangesNothing) {
  Table table(8, 5, 3);
  table.x[7] = std::nanf("");
  const nn::Hyper h = hyper("sgd", {}, 8);
  nn::ParamSlab net = fresh(bare(), h);
  const nn::ParamSlab before = fresh(bare(), h);
  nn::Workspace workspace;
  const nn::TrainStats stats = nn::train_steps(ref(), workspace, net, table.view(), h, {0, 1});
  EXPECT_TRUE(stats.diverged);
  EXPECT_TRUE(std::ranges::equal(net.bytes(), before.bytes()));
}

}  // namespace
