// The loss of each row, and what pairs of them say.

#include "nn/evaluation/row_losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nn/losses/loss.h"

namespace nn {
namespace {

Choice complete_loss(const char* kind) { return {kind, complete(loss_of(kind).info(), {}, kind)}; }

TEST(RowLosses, OfClassesByHand) {
  const Judged judged{.width = 3, .outputs = {1, 2, 3, 0, 0, 0}, .labels = {2, 0}};
  const DataView data{};
  const std::vector<float> losses = row_losses(judged, complete_loss("cross_entropy"), data);
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_NEAR(losses[0], std::log(std::exp(1 - 3) + std::exp(2 - 3) + 1), 1e-6);
  EXPECT_NEAR(losses[1], std::log(3), 1e-6);
}

TEST(RowLosses, OfOneLogitByHand) {
  const Judged judged{.width = 2, .outputs = {0, 2, 0, 2}, .labels = {1, 0}};
  const std::vector<float> losses = row_losses(judged, complete_loss("bce"), DataView{});
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_NEAR(losses[0], std::log1p(std::exp(-2)), 1e-6);
  EXPECT_NEAR(losses[1], std::log1p(std::exp(2)), 1e-6);
}

TEST(RowLosses, OfNumbersByHand) {
  const Judged judged{.width = 2, .outputs = {1, 2, 3, 4}, .targets = {1, 4, 0, 4}};
  const std::vector<float> losses = row_losses(judged, complete_loss("mse"), DataView{});
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_NEAR(losses[0], 4.0 / 2, 1e-6);
  EXPECT_NEAR(losses[1], 9.0 / 2, 1e-6);
}

TEST(PairedGain, ByHand) {
  const PairedGain gain = paired_gain({3, 5, 4}, {2, 2, 2});
  EXPECT_NEAR(gain.mean, 2, 1e-12);
  EXPECT_NEAR(gain.error, std::sqrt(1.0 / 3), 1e-12) << "the deviation 1 over the root of 3 rows";
  EXPECT_EQ(paired_gain({1, 2}, {1, 2}).mean, 0);
  EXPECT_EQ(paired_gain({1, 2}, {1, 2}).error, 0);
}

TEST(PairedGain, IsNoNumberWhereNothingCanBeSaid) {
  EXPECT_TRUE(std::isnan(paired_gain({1}, {2}).mean));
  EXPECT_TRUE(std::isnan(paired_gain({}, {}).error));
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(paired_gain({1, none}, {2, 2}).mean));
}

}  // namespace
}  // namespace nn
