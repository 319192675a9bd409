// Dropout beyond its gradient: what a mask hangs on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/data/block.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::hyper;
using nn_test::n;
using nn_test::Table;

const kern::Kernels<float>& ref() {
  kern::prepare_thread();
  return kern::ref_kernels<float>();
}

/// What a layer of dropout alone makes of `rows` rows of ones.
std::vector<float> masks(const nn::Shape& input, const nn::Draws& draws, int rows = 2,
                         const std::string& name = "drop", nn::Use use = nn::Use::training) {
  const nn::ModelSpec spec{input, {nn::layer("dropout", name, {{"rate", 0.5}})}};
  const nn::Network<float> network(spec, ref(), rows, use);
  nn::Block memory(network.arena_bytes());
  std::fill_n(network.input(memory.bytes().data()), rows * input.elements(), 1.0F);
  const float* y = network.forward(memory.bytes().data(), nullptr, rows, draws);
  return {y, y + rows * input.elements()};
}

std::vector<float> features(std::int64_t width, const nn::Draws& draws, int rows = 2) {
  return masks(nn::Shape::features(width), draws, rows);
}

TEST(Dropout, AUnitsMaskDoesNotDependOnTheWidth) {
  const auto narrow = features(9, {.stream = 3, .step = 5});
  const auto wide = features(150, {.stream = 3, .step = 5});
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t u = 0; u < 9; ++u) EXPECT_EQ(narrow[row * 9 + u], wide[row * 150 + u]);
  }
  const auto thin = masks(nn::Shape::image(3, 3, 2), {.stream = 3});
  const auto deep = masks(nn::Shape::image(3, 3, 5), {.stream = 3});
  for (std::size_t p = 0; p < 18; ++p) {
    for (std::size_t u = 0; u < 2; ++u) EXPECT_EQ(thin[p * 2 + u], deep[p * 5 + u]);
  }
}

TEST(Dropout, HangsOnStreamNameStepRowAndUnitId) {
  const nn::Draws draws{.stream = 3, .step = 5};
  const auto base = features(100, draws);
  EXPECT_EQ(features(100, draws), base);
  EXPECT_NE(features(100, {.stream = 4, .step = 5}), base);
  EXPECT_NE(features(100, {.stream = 3, .step = 6}), base);
  EXPECT_NE(masks(nn::Shape::features(100), draws, 2, "other"), base);
  const std::uint32_t rows[] = {1, 0};
  const auto swapped = features(100, {.stream = 3, .step = 5, .rows = rows});
  EXPECT_TRUE(std::equal(base.begin(), base.begin() + 100, swapped.begin() + 100));
  EXPECT_TRUE(std::equal(base.begin() + 100, base.end(), swapped.begin()));
}

TEST(Dropout, AUnitKeepsItsMaskWhenOthersGo) {
  const nn::ModelSpec wide{nn::Shape::features(3),
                           {nn::layer("dense", "fc", {{"units", n(6)}, {"activation", "none"}}),
                            nn::layer("dropout", "drop", {})}};
  nn::ModelSpec narrow = wide;
  narrow.layers[0].fields["units"] = n(3);
  const auto run = [](const nn::ModelSpec& spec, const nn::UnitIds* ids) {
    const nn::Network<float> network(spec, ref(), 40, nn::Use::training);
    nn::Block memory(network.arena_bytes());
    std::fill_n(network.input(memory.bytes().data()), 120, 1.0F);
    const std::vector<float> weights(network.layout().count, 1.0F);
    const float* y = network.forward(memory.bytes().data(), weights.data(), 40,
                                     {.stream = 1, .step = 1, .units = ids});
    return std::vector<float>(y, y + 40 * network.outputs());
  };
  const nn::UnitIds left(nn::UnitState{.groups = {{"fc", 6, {0, 3, 5}}}, .axes = {}});
  const auto before = run(wide, nullptr), after = run(narrow, &left);
  for (std::size_t row = 0; row < 40; ++row) {
    EXPECT_EQ(after[row * 3], before[row * 6]);
    EXPECT_EQ(after[row * 3 + 1], before[row * 6 + 3]);
    EXPECT_EQ(after[row * 3 + 2], before[row * 6 + 5]);
  }
}

TEST(Dropout, InferenceLeavesAllAsItIs) {
  EXPECT_EQ(masks(nn::Shape::features(9), {}, 2, "drop", nn::Use::inference),
            std::vector<float>(18, 1.0F));
}

TEST(Dropout, ShardsSeeTheMasksOfTheWholeBatch) {
  const Table table(24, 6, 3);
  nn::ModelSpec spec{nn::Shape::features(6),
                     {{"dense", "fc", {{"units", n(20)}}}, {"dropout", "drop", {}}}};
  spec = nn::with_output(spec, 3);
  std::vector<std::vector<float>> trained;
  for (const int shards : {1, 5}) {
    const nn::Hyper h = hyper("sgd", {{"lr", 0.1}}, 12, shards);
    nn::ParamSlab net(nn::slab_header(spec, h.optimizer));
    nn::init_weights(net, 11);
    nn::Workspace workspace;
    (void)nn::train_steps(ref(), workspace, net, table.view(), h, {0, 3});
    trained.emplace_back(net.weights().begin(), net.weights().end());
  }
  for (std::size_t i = 0; i < trained[0].size(); ++i) {
    EXPECT_NEAR(trained[0][i], trained[1][i], 1e-5);
  }
}

}  // namespace
