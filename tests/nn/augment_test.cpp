// Moving images while training: what a move hangs on, and that nothing but training sees it.

#include "nn/training/augment.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "nn/error.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::hyper;
using nn_test::n;
using nn_test::Table;

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

bool same(const kern::ImageMove& a, const kern::ImageMove& b) {
  return a.down == b.down && a.right == b.right && a.mirror == b.mirror &&
         a.upside_down == b.upside_down;
}

TEST(Augment, AMoveHangsOnStreamRowAndEpochAlone) {
  const nn::Augment augment{.shift = 3, .flip = nn::Flip::both};
  const nn::Mover mover(augment, 7), again(augment, 7), other(augment, 8);
  int changed_by_stream = 0, changed_by_epoch = 0;
  for (std::uint32_t row = 0; row < 200; ++row) {
    EXPECT_TRUE(same(mover.move(row, 4), again.move(row, 4)));
    changed_by_stream += same(mover.move(row, 4), other.move(row, 4)) ? 0 : 1;
    changed_by_epoch += same(mover.move(row, 4), mover.move(row, 5)) ? 0 : 1;
  }
  EXPECT_GT(changed_by_stream, 180);
  EXPECT_GT(changed_by_epoch, 180);
}

TEST(Augment, EveryMoveIsAsLikely) {
  const nn::Mover mover({.shift = 2, .flip = nn::Flip::horizontal}, 1);
  std::vector<int> down(5), right(5);
  int mirrored = 0;
  constexpr int kRows = 10000;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const kern::ImageMove move = mover.move(row, 0);
    ++down.at(static_cast<std::size_t>(move.down + 2));
    ++right.at(static_cast<std::size_t>(move.right + 2));
    mirrored += move.mirror ? 1 : 0;
    EXPECT_FALSE(move.upside_down);
  }
  for (const auto& counts : {down, right}) {
    for (const int count : counts) EXPECT_NEAR(count, kRows / 5, 200);
  }
  EXPECT_NEAR(mirrored, kRows / 2, 250);
}

TEST(Augment, NothingAskedMovesNothing) {
  EXPECT_FALSE(nn::moves({}));
  EXPECT_TRUE(nn::moves({.shift = 1}));
  EXPECT_TRUE(nn::moves({.flip = nn::Flip::vertical}));
}

/// Small images behind a table of features.
struct Images {
  Table table{40, 36, 3};
  [[nodiscard]] nn::DataView view() const {
    nn::DataView view = table.view();
    view.shape = nn::Shape::image(6, 6, 1);
    return view;
  }
};

nn::ModelSpec small_cnn() {
  nn::ModelSpec spec{nn::Shape::image(6, 6, 1), {}};
  spec.layers = {{"conv2d", "c", {{"units", n(4)}}}, {"flatten", "f", {}}};
  return nn::with_output(spec, 3);
}

nn::ParamSlab trained(const nn::Hyper& h, const std::vector<nn::Segment>& segments,
                      const nn::DataView& view) {
  nn::ParamSlab net(nn::slab_header(small_cnn(), h.optimizer));
  nn::init_weights(net, 5);
  nn::Workspace workspace;
  for (const nn::Segment& segment : segments)
    (void)nn::train_steps(cpu(), workspace, net, view, h, segment);
  return net;
}

bool same_bits(const nn::ParamSlab& a, const nn::ParamSlab& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

TEST(Augment, ChangesTrainingAndKnowsNoCuts) {
  const Images images;
  for (const int shards : {1, 3}) {
    nn::Hyper h = hyper("adam", {{"lr", 0.01}}, 8, shards);
    const nn::ParamSlab plain = trained(h, {{0, 4}}, images.view());
    h.augment = {.shift = 1, .flip = nn::Flip::horizontal};
    const nn::ParamSlab moved = trained(h, {{0, 4}}, images.view());
    EXPECT_FALSE(same_bits(plain, moved));
    EXPECT_TRUE(same_bits(moved, trained(h, {{0, 1}, {1, 4}}, images.view())));
    EXPECT_TRUE(same_bits(moved, trained(h, {{0, 3, 2}, {3, 8, 2}}, images.view())));
  }
}

TEST(Augment, ARowOfAnotherPlaceInTheDataMovesAsItselfStill) {
  // Without shuffling effects: one batch an epoch, so that a sum over the rows is all that matters.
  const Images images;
  nn::Hyper h = hyper("sgd", {{"lr", 0.1}}, 40);
  h.augment = {.shift = 2};
  nn::DataView half = images.view(), backwards = images.view();
  std::vector<std::uint32_t> rows(half.rows.begin(), half.rows.end());
  std::ranges::reverse(rows);
  backwards.rows = rows;
  const nn::ParamSlab a = trained(h, {{0, 1}}, half), b = trained(h, {{0, 1}}, backwards);
  for (std::size_t i = 0; i < a.weights().size(); ++i)
    EXPECT_NEAR(a.weights()[i], b.weights()[i], 1e-5);
}

TEST(Augment, IsForImagesOnly) {
  const Table table(20, 12, 3);
  nn::Hyper h = hyper("adam", {}, 8);
  h.augment = {.shift = 1};
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(12, {5}, 3), h.optimizer));
  nn::Workspace workspace;
  EXPECT_THROW((void)nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 1}), base::Error);
  h.augment.shift = -1;
  EXPECT_THROW((void)nn::complete(h), nn::SpecError);
}

}  // namespace
