// What units do, against values worked out by hand; and units that are born where a gradient is.

#include "nn/reshape/statistics.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/reshape/bridge.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/operation.h"
#include "tests/nn/reshape/support.h"

namespace {

using namespace reshape_test;
using nn_test::mlp;
using nn_test::n;

constexpr std::uint32_t kRows = 60;

std::vector<nn::UnitStatistics> statistics(const nn::Net<float>& net, const nn_test::Table& table) {
  nn::Workspace workspace;
  return nn::unit_statistics(kernels_of<float>(), workspace, nn::slab_of(net),
                             view_for(table, net.spec()));
}

template <class T>
T& at(nn::Net<T>& net, const std::string& name, std::size_t i) {
  const auto tensor = std::ranges::find(net.layout.tensors, name, &nn::ParamTensor::name);
  return net.copy(0)[tensor->offset + i];
}

double loss_of(const nn::Net<double>& net, const nn_test::Table& table) {
  const std::vector<double> out = outputs(net, table);
  const std::size_t classes = out.size() / table.labels.size();
  double loss = 0;
  for (std::size_t r = 0; r < table.labels.size(); ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(out[r * classes + c]);
    loss += std::log(sum) - out[r * classes + static_cast<std::size_t>(table.labels[r])];
  }
  return loss / static_cast<double>(table.labels.size());
}

TEST(UnitStatistics, ValuesAreThoseThatTheNextLayerSees) {
  const nn::ModelSpec spec = mlp(5, {4}, 3);
  nn::Net<float> net = random_net<float>(spec, "sgd", 0, 3);
  const nn_test::Table table = random_rows(spec, kRows, 3);
  // The network up to its hidden layer: its outputs are the units' sums.
  nn::Net<float> first = nn::Net<float>::empty(nn::slab_header(mlp(5, {}, 4), {"sgd", {}}));
  for (std::size_t i = 0; i < 20; ++i) at(first, "output.weight", i) = at(net, "dense1.weight", i);
  for (std::size_t i = 0; i < 4; ++i) at(first, "output.bias", i) = at(net, "dense1.bias", i);
  const std::vector<float> sums = outputs(first, table);
  const auto found = statistics(net, table);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].layer, "dense1");
  for (std::size_t u = 0; u < 4; ++u) {
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < kRows; ++r) {
      const double value = std::max(0.0F, sums[r * 4 + u]);
      sum += value / kRows;
      squares += value * value / kRows;
    }
    EXPECT_NEAR(found[0].mean[u], sum, 1e-5);
    EXPECT_NEAR(found[0].spread[u], std::sqrt(squares - sum * sum), 1e-4);
  }
}

TEST(UnitStatistics, PaddingAndKernelsOfReadersDoNotCount) {
  // The same convolution, read by one pixel or by nine of a padded image.
  std::vector<nn::UnitStatistics> found;
  for (const std::int64_t kernel : {1, 3}) {
    nn::ModelSpec spec{.input = nn::Shape::image(6, 6, 1), .layers = {}};
    spec.layers = {{"conv2d", "c1", {{"units", n(3)}, {"kernel", n(3)}, {"padding", "same"}}},
                   {"conv2d", "c2", {{"units", n(2)}, {"kernel", n(kernel)}, {"padding", "same"}}},
                   {"flatten", "", {}}};
    spec = nn::complete(nn::with_output(nn::complete(spec), 3));
    nn::Net<float> net = random_net<float>(spec, "sgd", 0, 3);
    for (std::size_t i = 0; i < 27; ++i) at(net, "c1.weight", i) = 0.1F * static_cast<float>(i % 5);
    for (std::size_t i = 0; i < 3; ++i) at(net, "c1.bias", i) = 0.5F;
    found.push_back(statistics(net, random_rows(spec, kRows, 3)).front());
  }
  EXPECT_EQ(found[0].layer, "c1");
  EXPECT_EQ(found[0].mean, found[1].mean);
  EXPECT_EQ(found[0].spread, found[1].spread);
  EXPECT_GT(found[0].spread[0], 0);
}

TEST(UnitStatistics, ANetworkThatDivergedHasNone) {
  const nn::ModelSpec spec = mlp(5, {4}, 3);
  nn::Net<float> net = random_net<float>(spec, "sgd", 0, 3);
  at(net, "dense1.weight", 0) = std::numeric_limits<float>::quiet_NaN();
  const auto found = statistics(net, random_rows(spec, kRows, 3));
  EXPECT_TRUE(std::isnan(found[0].mean[0]));
  EXPECT_TRUE(std::isnan(found[0].spread[0]));
  EXPECT_TRUE(std::isnan(found[0].gradient[0]));
}

TEST(UnitStatistics, GradientIsThatOfAFactorOnTheUnit) {
  const nn::ModelSpec spec = mlp(5, {4, 6}, 3, "tanh");
  const nn_test::Table table = random_rows(spec, kRows, 4);
  const auto found = statistics(random_net<float>(spec, "sgd", 0, 4), table);
  ASSERT_EQ(found.size(), 2U);
  const nn::Net<double> net = random_net<double>(spec, "sgd", 0, 4);
  const std::size_t units[] = {4, 6}, readers[] = {6, 3};
  const char* weights[] = {"dense2.weight", "output.weight"};
  for (std::size_t layer = 0; layer < 2; ++layer) {
    ASSERT_EQ(found[layer].gradient.size(), units[layer]);
    for (std::size_t u = 0; u < units[layer]; ++u) {
      const auto gated = [&](double factor) {
        nn::Net<double> other = net;
        for (std::size_t o = 0; o < readers[layer]; ++o)
          at(other, weights[layer], u * readers[layer] + o) *= factor;
        return loss_of(other, table);
      };
      const double slope = (gated(1 + 1e-5) - gated(1 - 1e-5)) / 2e-5;
      EXPECT_NEAR(found[layer].gradient[u], slope * slope, 1e-3 * slope * slope + 1e-8);
    }
  }
}

TEST(UnitStatistics, RoomIsWhatNewUnitsCouldDo) {
  // A direct connection of weight w from input i to sum o moves the loss by w times the gradient
  // between them; the squares of all these gradients are the squares of the singular values.
  const nn::ModelSpec spec = mlp(3, {4}, 2, "tanh");
  const nn_test::Table table = random_rows(spec, kRows, 5);
  const auto found = statistics(random_net<float>(spec, "sgd", 0, 5), table);
  const nn::Net<double> net = random_net<double>(spec, "sgd", 0, 5);
  double squares = 0;
  const double step = 1e-4;  // a unit of tanh is linear near 0
  nn::Net<double> wide = run(net, {"widen", "dense1", {{"by", n(1)}, {"rule", "fresh"}}}, table);
  at(wide, "dense1.bias", 4) = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t o = 0; o < 2; ++o) {
      const auto moved = [&](double weight) {
        nn::Net<double> other = wide;
        for (std::size_t k = 0; k < 3; ++k)
          at(other, "dense1.weight", k * 5 + 4) = k == i ? step : 0;
        at(other, "output.weight", std::size_t{4} * 2 + o) = weight;
        return loss_of(other, table);
      };
      const double gradient = (moved(1) - moved(-1)) / (2 * step);
      squares += gradient * gradient;
    }
  }
  double room = 0;
  for (const double strength : found[0].room) room += strength * strength;
  EXPECT_LE(found[0].room.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(found[0].room, std::greater<>()));
  EXPECT_GT(squares, 1e-4);
  EXPECT_NEAR(room, squares, 1e-3 * squares);
}

TEST(UnitStatistics, EveryLayerThatCanBeResizedHasSome) {
  for (const nn::ModelSpec& spec :
       {nn::complete(nn_test::assorted(4, 3)), nn::complete(nn_test::residual(5, 4, 3)),
        nn::complete(nn_test::normed(5, 4, 3))}) {
    const nn_test::Table table = random_rows(spec, kRows, 6);
    const auto found = statistics(random_net<float>(spec, "sgd", 0, 6), table);
    const std::vector<std::string> layers = nn::resizable_layers(spec);
    ASSERT_EQ(found.size(), layers.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto units = nn::units_of(spec, nn::resizable_group(spec, layers[i]));
      EXPECT_EQ(found[i].layer, layers[i]);
      EXPECT_EQ(std::ssize(found[i].mean), units);
      EXPECT_EQ(std::ssize(found[i].spread), units);
      EXPECT_EQ(std::ssize(found[i].gradient), units);
      EXPECT_GT(*std::ranges::max_element(found[i].gradient), 0);
    }
    EXPECT_GT(nn::unit_statistics_flops(spec, kRows), nn::flops_per_row(spec).training * kRows);
  }
}

TEST(UnitStatistics, CostsItsPassesAndProducts) {
  // Two layers of which both have a dense one right behind: 5-4-6-3.
  const nn::ModelSpec spec = nn::complete(mlp(5, {4, 6}, 3));
  const nn::Flops row = nn::flops_per_row(spec);
  const std::uint64_t passes = 3 * row.training + 2 * row.forward;
  const std::uint64_t products = 2 * 5 * 6 + 2 * 4 * 3;
  const std::uint64_t directions = 2 * 6 * 6 * 5 + 9 * 6 * 6 * 6 + 2 * 3 * 3 * 4 + 9 * 3 * 3 * 3;
  EXPECT_EQ(nn::unit_statistics_flops(spec, 60), (passes + products) * 60 + directions);
  EXPECT_EQ(nn::unit_statistics_flops(spec, 5000), nn::unit_statistics_flops(spec, 1000));
  const nn::Operation growth{"widen", "dense1", {{"by", n(1)}, {"rule", "gradmax"}}};
  EXPECT_EQ(nn::reshape_flops(spec, growth, 60),
            (row.training + 2 * 5 * 6) * 60 + 2 * 6 * 6 * 5 + 9 * 6 * 6 * 6);
}

TEST(UnitStatistics, DataOfAnotherShapeIsRefused) {
  const nn::ModelSpec spec = mlp(5, {4}, 3), other = mlp(6, {4}, 3);
  const nn_test::Table table = random_rows(other, kRows, 7);
  nn::Workspace workspace;
  const nn::ParamSlab net = nn::slab_of(random_net<float>(spec, "sgd", 0, 7));
  EXPECT_THROW(
      (void)nn::unit_statistics(kernels_of<float>(), workspace, net, view_for(table, other)),
      base::Error);
}

TEST(Nest, AUnitJoinsTheInputAndTheSumOfTheLargestGradient) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const nn::ModelSpec spec = mlp(5, {4}, 3, "none");
    nn::Net<double> net = random_net<double>(spec, "adam", 2, seed);
    const nn_test::Table table = random_rows(spec, kRows, seed);
    nn::Net<double> wide = run(net, {"widen", "dense1", {{"by", n(2)}, {"rule", "nest"}}}, table);
    double size = 0;
    for (std::size_t i = 0; i < 20; ++i) size += std::abs(at(net, "dense1.weight", i)) / 20;
    for (std::size_t unit : {4, 5}) {
      int in = 0, out = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        if (at(wide, "dense1.weight", i * 6 + unit) == 0) continue;
        ++in;
        EXPECT_NEAR(at(wide, "dense1.weight", i * 6 + unit), 0.3 * size, 1e-12);
      }
      for (std::size_t o = 0; o < 3; ++o)
        out += at(wide, "output.weight", unit * 3 + o) != 0 ? 1 : 0;
      EXPECT_EQ(in, 1);
      EXPECT_EQ(out, 1);
      EXPECT_EQ(at(wide, "dense1.bias", unit), 0);
    }
    // The first one alone: a little of it moves the loss down.
    const auto scaled = [&](double factor) {
      nn::Net<double> other = wide;
      for (std::size_t i = 0; i < 5; ++i) at(other, "dense1.weight", i * 6 + 5) = 0;
      for (std::size_t o = 0; o < 3; ++o)
        at(other, "output.weight", std::size_t{4} * 3 + o) *= factor;
      return loss_of(other, table);
    };
    EXPECT_LT(scaled(1e-3), scaled(0));
  }
}

TEST(Nest, AtFullStrengthNewUnitsOfAReluMoveTheLossDown) {
  int down = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const nn::ModelSpec spec = mlp(5, {8, 8}, 3);
    const nn_test::Table table = random_rows(spec, kRows, seed);
    const nn::Net<double> net = random_net<double>(spec, "sgd", 0, seed);
    // Between the hidden layers, where what is read is never negative.
    const auto wide = run(net, {"widen", "dense2", {{"by", n(4)}, {"rule", "nest"}}}, table);
    down += loss_of(wide, table) < loss_of(net, table) ? 1 : 0;
  }
  EXPECT_EQ(down, 20);
}

TEST(Nest, MoreUnitsThanGradientsAreDrawn) {
  const nn::ModelSpec spec = mlp(1, {2}, 2);
  const nn_test::Table table = random_rows(spec, kRows, 1);
  nn::Net<double> wide = run(random_net<double>(spec, "sgd", 0, 1),
                             {"widen", "dense1", {{"by", n(5)}, {"rule", "nest"}}}, table);
  EXPECT_EQ(wide.spec(), mlp(1, {7}, 2));
  // One input and two sums have two gradients; units behind them are as new ones are.
  for (std::size_t unit = 2; unit < 7; ++unit) {
    EXPECT_NE(at(wide, "dense1.weight", unit), 0);
    const bool read =
        at(wide, "output.weight", unit * 2) != 0 || at(wide, "output.weight", unit * 2 + 1) != 0;
    EXPECT_EQ(read, unit < 4);
  }
}

}  // namespace
