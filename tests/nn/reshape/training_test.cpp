// Training on after a reshape: optimizer state goes along, new weights count their own steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "nn/losses/loss.h"
#include "nn/model/init.h"
#include "nn/optimizers/optimizer.h"
#include "nn/reshape/reshape.h"
#include "nn/training/ages.h"
#include "nn/training/batch_reader.h"
#include "nn/training/train.h"
#include "tests/nn/reshape/support.h"

namespace {

using namespace reshape_test;
using nn_test::mlp;
using nn_test::n;

/// Gradient descent with momentum in double, every weight at a rate of its own.
class Descent {
 public:
  Descent(const nn::Net<double>& net, const nn_test::Table& table)
      : net_(net),
        network_(net.spec(), kernels_of<double>(), int(table.rows.size()), nn::Use::training),
        table_(&table),
        rate_(net.layout.count, 0.05),
        gradient_(net.layout.count),
        arena_(network_.arena_bytes()) {}

  void scale_rate(const std::string& tensor, double by) {
    const nn::ParamTensor& t = *net_.layout.find(tensor);
    for (std::size_t i = 0; i < t.count; ++i) rate_[t.offset + i] *= by;
  }

  void run(int steps) {
    const auto view = view_for(*table_, net_.spec());
    const nn::BatchReader<double> reader(network_, view);
    nn::Block targets(reader.target_bytes());
    const auto loss = nn_test::bound<double>(nn_test::loss_cases().front());
    for (int s = 0; s < steps; ++s) {
      const auto target = reader.read(arena_.bytes().data(), targets.bytes().data(), view.rows);
      (void)network_.loss_and_gradient(arena_.bytes().data(), net_.copy(0).data(),
                                       int(view.rows.size()), *loss, target,
                                       1.0 / double(view.rows.size()), gradient_.data());
      for (std::size_t i = 0; i < gradient_.size(); ++i) {
        net_.copy(1)[i] = 0.9 * net_.copy(1)[i] + gradient_[i];
        net_.copy(0)[i] -= rate_[i] * net_.copy(1)[i];
      }
    }
  }
  [[nodiscard]] const nn::Net<double>& net() const { return net_; }

 private:
  nn::Net<double> net_;
  nn::Network<double> network_;
  const nn_test::Table* table_;
  std::vector<double> rate_, gradient_;
  nn::Block arena_;
};

/// A network like a freshly initialised one, after ten steps.
nn::Net<double> trained(const nn::ModelSpec& spec, const nn_test::Table& table) {
  nn::ParamSlab slab(nn::slab_header(spec, {"sgd", {{"momentum", 0.9}}}));
  nn::init_weights(slab, 4);
  const nn::Net<float> narrow = nn::net_of(slab);
  nn::Net<double> net = nn::Net<double>::empty(narrow.header);
  std::ranges::copy(narrow.numbers.all(), net.numbers.all().begin());
  Descent descent(net, table);
  descent.run(10);
  return descent.net();
}

double replicated_distance(bool rates) {
  const nn::ModelSpec spec = mlp(6, {5, 4}, 3, "tanh");
  const nn_test::Table table = random_rows(spec, 30, 2);
  const nn::Net<double> net = trained(spec, table);
  const auto wide = run(net, {"widen", "dense1", {{"to", n(15)}, {"rule", "replicate"}}}, table);
  Descent narrow(net, table), copied(wide, table);
  if (rates) {
    copied.scale_rate("dense1.weight", 3);
    copied.scale_rate("dense1.bias", 3);
    copied.scale_rate("dense2.weight", 1.0 / 3);
  }
  narrow.run(100);
  copied.run(100);
  return distance(outputs(narrow.net(), table), outputs(copied.net(), table));
}

TEST(Training, CopiesFollowTheOriginalAtScaledRates) {
  EXPECT_LT(replicated_distance(true), 1e-10);
  EXPECT_GT(replicated_distance(false), 1e-3);
}

/// Trains a slab for some epochs of one full batch each.
void train(nn::ParamSlab& net, const nn_test::Table& table, const nn::Hyper& hyper,
           std::int64_t from, std::int64_t to) {
  nn::Workspace workspace;
  (void)nn::train_steps(kernels_of<float>(), workspace, net, table.view(), hyper, {from, to});
}

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& hyper) {
  nn::ParamSlab net(nn::slab_header(spec, hyper.optimizer));
  nn::init_weights(net, 1);
  return net;
}

nn::ParamSlab reshape(const nn::ParamSlab& net, const nn::Operation& operation,
                      const nn_test::Table& table) {
  nn::Workspace workspace;
  return nn::reshape(kernels_of<float>(), workspace, net, operation, table.view(), 9);
}

/// The step at which an element of a tensor was born, by the definition.
std::int64_t birth_of(const nn::UnitState& units, const nn::ParamTensor& tensor, std::int32_t index,
                      std::size_t element) {
  std::int64_t birth = 0;
  for (std::size_t a = tensor.dims.size(); a-- > 0;) {
    const auto along = element % static_cast<std::size_t>(tensor.dims[a]);
    element /= static_cast<std::size_t>(tensor.dims[a]);
    const auto* axis = units.axis(index, static_cast<std::int32_t>(a));
    if (axis == nullptr) continue;
    birth = std::max(birth, axis->births[along % axis->births.size()]);
  }
  return birth;
}

/// Of the weights born at the last step of `before`, the largest change.
double largest_first_step(const nn::ParamSlab& before, const nn::ParamSlab& after) {
  const nn::ParamLayout layout = nn::param_layout(before.spec());
  const nn::UnitState units = before.units();
  double out = 0;
  for (std::size_t t = 0; t < layout.tensors.size(); ++t) {
    const nn::ParamTensor& tensor = layout.tensors[t];
    for (std::size_t i = 0; i < tensor.count; ++i) {
      if (birth_of(units, tensor, std::int32_t(t), i) != before.state().steps) continue;
      const std::size_t e = tensor.offset + i;
      out = std::max(out, std::abs(double{after.weights()[e]} - double{before.weights()[e]}));
    }
  }
  return out;
}

TEST(Training, AdamsFirstStepOfFreshWeightsIsNoLargerThanItsRate) {
  const nn_test::Table table(48, 10, 4);
  const nn::Hyper hyper = nn_test::hyper("adam", {{"lr", 0.01}}, 48);
  nn::ParamSlab net = fresh(mlp(10, {6, 6}, 4), hyper);
  train(net, table, hyper, 0, 100);
  for (const nn::Operation& growth :
       {nn::Operation{"widen", "dense2", {{"by", n(7)}}},
        nn::Operation{"widen", "dense1", {{"by", n(8)}, {"rule", "pair"}}},
        nn::Operation{"deepen", "dense1", {}},
        nn::Operation{"deepen", "dense2", {{"form", "identity"}}}}) {
    const nn::ParamSlab before = reshape(net, growth, table);
    nn::ParamSlab after = reshape(net, growth, table);
    train(after, table, hyper, 100, 101);
    EXPECT_LE(largest_first_step(before, after), 1.001 * 0.01) << nn::describe(growth);
    EXPECT_GT(largest_first_step(before, after), 0.9 * 0.01) << nn::describe(growth);
  }
}

TEST(Training, FreshUnitsAreAllDifferentAfterTwoSteps) {
  const nn_test::Table table(48, 10, 4);
  const nn::Hyper hyper = nn_test::hyper("adam", {{"lr", 0.01}}, 48);
  nn::ParamSlab net = fresh(mlp(10, {6, 6}, 4), hyper);
  train(net, table, hyper, 0, 5);
  for (const char* rule : {"fresh", "pair"}) {
    nn::ParamSlab wide = reshape(net, {"widen", "dense1", {{"by", n(8)}, {"rule", rule}}}, table);
    train(wide, table, hyper, 5, 7);
    const nn::ParamTensor weight = nn::param_layout(wide.spec()).tensors[0];
    std::set<std::vector<float>> columns;
    for (std::size_t u = 6; u < 14; ++u) {
      std::vector<float> column;
      for (std::size_t i = 0; i < 10; ++i) {
        column.push_back(wide.weights()[weight.offset + i * 14 + u]);
      }
      columns.insert(column);
    }
    EXPECT_EQ(columns.size(), 8U) << rule;
  }
}

TEST(Training, ANetworkThatGrewAndShrankBackTrainsToTheSameBits) {
  const nn_test::Table table(48, 10, 4);
  for (const nn::Hyper& hyper :
       {nn_test::hyper("adam", {{"lr", 0.01}}), nn_test::hyper("sgd", {{"momentum", 0.9}}),
        nn_test::hyper("rmsprop", {{"momentum", 0.5}}), nn_test::hyper("lars", {{"lr", 5.0}}),
        nn_test::hyper("lamb", {{"lr", 0.01}}), nn_test::hyper("adam+late", {{"lr", 0.01}})}) {
    nn::ParamSlab net = fresh(mlp(10, {6, 6}, 4), hyper);
    train(net, table, hyper, 0, 3);
    const auto wide = reshape(net, {"widen", "dense1", {{"by", n(8)}}}, table);
    nn::ParamSlab back = reshape(wide, {"tidy", "dense1", {}}, table);
    train(net, table, hyper, 3, 6);
    train(back, table, hyper, 3, 6);
    EXPECT_TRUE(std::ranges::equal(net.weights(), back.weights())) << hyper.optimizer.kind;
    for (int s = 0; s < net.header().slots; ++s) {
      EXPECT_TRUE(std::ranges::equal(net.slot(s), back.slot(s)));
    }
  }
}

TEST(Training, GrowingDoesNotDisturbTheLoss) {
  const nn_test::Table table(256, 10, 4);
  const nn::Hyper hyper = nn_test::hyper("adam", {{"lr", 0.003}}, 256);
  nn::ParamSlab net = fresh(mlp(10, {8, 8}, 4), hyper);
  nn::Workspace workspace;
  const auto loss = [&](const nn::ParamSlab& slab) {
    return nn::evaluate(kernels_of<float>(), workspace, slab, table.view(), hyper.loss).loss;
  };
  std::vector<double> before;
  for (std::int64_t step = 0; step < 50; ++step) {
    train(net, table, hyper, step, step + 1);
    before.push_back(loss(net));
  }
  const double mean = std::accumulate(before.begin(), before.end(), 0.0) / 50;
  double variance = 0;
  for (const double l : before) variance += (l - mean) * (l - mean) / 50;
  nn::ParamSlab wide = reshape(net, {"widen", "dense1", {{"by", n(24)}}}, table);
  EXPECT_NEAR(loss(wide), loss(net), 1e-6 * loss(net));
  const double bound = *std::ranges::max_element(before) + 3 * std::sqrt(variance);
  for (std::int64_t step = 50; step < 100; ++step) {
    train(wide, table, hyper, step, step + 1);
    EXPECT_LE(loss(wide), bound);
  }
  EXPECT_LT(loss(wide), before.back());
}

/// Adam's formula for one weight, in double.
struct Weight {
  double w = 0, m = 0, v = 0;
  void step(double g, std::int64_t age) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double t = static_cast<double>(age);
    w -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
};

template <class T>
double aged_difference(const nn::ModelSpec& spec, std::uint64_t seed) {
  Dice dice(seed);
  nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  for (auto& axis : net.units.axes) {
    for (auto& birth : axis.births) birth = 10 * dice.whole(0, 2);
  }
  const std::int64_t step = 25;
  std::vector<T> gradient(net.layout.count);
  for (T& g : gradient) g = static_cast<T>(dice.unit());
  nn::Net<T> after = net;
  nn::Ages<T> ages(net.layout, net.units);
  const nn::Optimizer& adam = nn::optimizer_of("adam");
  kern::Exec exec;
  const auto update = adam.bind(nn::complete(adam.info(), {{"lr", 0.01}}, "test"), T{});
  update->begin_aged(ages, step, 0.01);
  for (const nn::SlabPart& part : ages.parts()) {
    update->run_aged(kernels_of<T>(), exec, ages, part, net.layout.count, after.copy(0).data(),
                     gradient.data(), after.copy(1).data(), step, 0.01);
  }
  double worst = 0;
  for (std::size_t t = 0; t < net.layout.tensors.size(); ++t) {
    const nn::ParamTensor& tensor = net.layout.tensors[t];
    for (std::size_t i = 0; i < tensor.count; ++i) {
      const std::size_t e = tensor.offset + i;
      Weight one{double(net.copy(0)[e]), double(net.copy(1)[e]), double(net.copy(2)[e])};
      one.step(double(gradient[e]),
               step - birth_of(net.units, tensor, static_cast<std::int32_t>(t), i));
      worst = std::max(worst, std::abs(one.w - double(after.copy(0)[e])));
    }
  }
  return worst;
}

TEST(Ages, EveryWeightCountsFromItsYoungestAxis) {
  for (const nn::ModelSpec& spec : {mlp(6, {20, 17}, 3), nn_test::lenet(3, 5, 6)}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      EXPECT_LT(aged_difference<double>(spec, seed), 1e-12);
      EXPECT_LT(aged_difference<float>(spec, seed), 1e-6);
    }
  }
}

/// LAMB's formula for one layer whose weights have ages of their own, in double.
struct Layer {
  std::vector<Weight> weights;
  void step(const std::vector<double>& gradient, const std::vector<std::int64_t>& ages) {
    double weight_squares = 0, direction_squares = 0;
    std::vector<double> direction;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      Weight& one = weights[i];
      one.m = 0.9 * one.m + 0.1 * gradient[i];
      one.v = 0.999 * one.v + 0.001 * gradient[i] * gradient[i];
      const auto t = static_cast<double>(ages[i]);
      const double m = one.m / (1 - std::pow(0.9, t)), v = one.v / (1 - std::pow(0.999, t));
      direction.push_back(m / (std::sqrt(v) + 1e-6) + 0.01 * one.w);
      weight_squares += one.w * one.w;
      direction_squares += direction[i] * direction[i];
    }
    const double rate = 0.01 * std::sqrt(weight_squares / direction_squares);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i].w -= rate * direction[i];
  }
};

/// The largest difference from that after a step of a network of several ages.
template <class T>
double aged_lamb_difference(const nn::ModelSpec& spec, std::uint64_t seed) {
  Dice dice(seed);
  nn::Net<T> net = random_net<T>(spec, "lamb", 2, seed);
  for (auto& axis : net.units.axes)
    for (auto& birth : axis.births) birth = 10 * dice.whole(0, 2);
  const std::int64_t step = 25;
  std::vector<T> gradient(net.layout.count);
  for (const nn::ParamTensor& tensor : net.layout.tensors)
    for (std::size_t i = 0; i < tensor.count; ++i)
      gradient[tensor.offset + i] = static_cast<T>(dice.unit());
  nn::Net<T> after = net;
  nn::Ages<T> ages(net.layout, net.units, nn::layer_parts(net.layout));
  const nn::Optimizer& lamb = nn::optimizer_of("lamb");
  kern::Exec exec;
  const auto update = lamb.bind(nn::complete(lamb.info(), {}, "test"), T{});
  update->begin_aged(ages, step, 0.01);
  for (const nn::SlabPart& part : ages.parts())
    update->run_aged(kernels_of<T>(), exec, ages, part, net.layout.count, after.copy(0).data(),
                     gradient.data(), after.copy(1).data(), step, 0.01);
  double worst = 0;
  for (const nn::SlabPart& part : ages.parts()) {
    Layer layer;
    std::vector<double> of_layer;
    std::vector<std::int64_t> counts;
    std::vector<std::size_t> elements;
    for (std::size_t t = 0; t < net.layout.tensors.size(); ++t) {
      const nn::ParamTensor& tensor = net.layout.tensors[t];
      if (tensor.offset < part.offset || tensor.offset >= part.offset + part.count) continue;
      for (std::size_t i = 0; i < tensor.count; ++i) {
        const std::size_t e = tensor.offset + i;
        layer.weights.push_back(
            {double(net.copy(0)[e]), double(net.copy(1)[e]), double(net.copy(2)[e])});
        of_layer.push_back(double(gradient[e]));
        counts.push_back(step - birth_of(net.units, tensor, static_cast<std::int32_t>(t), i));
        elements.push_back(e);
      }
    }
    layer.step(of_layer, counts);
    for (std::size_t i = 0; i < elements.size(); ++i)
      worst = std::max(worst, std::abs(layer.weights[i].w - double(after.copy(0)[elements[i]])));
  }
  return worst;
}

TEST(Ages, LambCorrectsTheMomentsOfEveryWeightByItsOwnSteps) {
  for (const nn::ModelSpec& spec : {mlp(6, {20, 17}, 3), nn_test::lenet(3, 5, 6)}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      EXPECT_LT(aged_lamb_difference<double>(spec, seed), 1e-12);
      EXPECT_LT(aged_lamb_difference<float>(spec, seed), 1e-6);
    }
  }
}

TEST(Ages, PartsMayBeLayersWithAllTheirRuns) {
  Dice dice(1);
  nn::Net<float> net = random_net<float>(mlp(300, {70, 90}, 3), "lamb", 2, 1);
  for (auto& axis : net.units.axes)
    for (auto& birth : axis.births) birth = 10 * dice.whole(0, 2);
  const nn::Ages<float> ages(net.layout, net.units, nn::layer_parts(net.layout));
  ASSERT_EQ(ages.parts().size(), 3U);
  std::size_t end = 0, runs = 0;
  for (const nn::SlabPart& part : ages.parts()) {
    EXPECT_EQ(part.offset, end);
    end = part.offset + part.count;
    for (const nn::AgeRun& run : ages.runs(part)) {
      EXPECT_GE(run.offset, part.offset);
      EXPECT_LE(run.offset + run.rows * run.cols, end);
    }
    runs += part.runs;
  }
  EXPECT_EQ(end, net.layout.trained);
  EXPECT_EQ(runs, ages.runs().size());
}

TEST(Ages, WhatWasBornTogetherIsOneRunAPart) {
  const nn::ModelSpec spec = mlp(784, {32, 32}, 10);
  const nn::Net<float> net = nn::Net<float>::empty({spec, "adam", 2, false});
  const nn::Ages<float> ages(net.layout, net.units);
  EXPECT_EQ(ages.runs().size(), ages.parts().size());
  EXPECT_EQ(ages.parts().size(), (net.layout.trained + nn::kUpdatePart - 1) / nn::kUpdatePart);
}

TEST(Ages, PartsHoldEveryTrainedElementOnce) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Dice dice(seed);
    nn::Net<float> net = random_net<float>(mlp(300, {70, 90}, 3), "adam", 2, seed);
    for (auto& axis : net.units.axes) {
      for (auto& birth : axis.births) birth = 10 * dice.whole(0, 2);
    }
    const nn::Ages<float> ages(net.layout, net.units);
    std::size_t end = 0;
    for (const nn::SlabPart& part : ages.parts()) {
      EXPECT_EQ(part.offset, end);
      end = part.offset + part.count;
      for (const nn::AgeRun& run : ages.runs(part)) {
        EXPECT_GE(run.offset, part.offset);
        EXPECT_LE(run.offset + run.rows * run.cols, end);
      }
    }
    EXPECT_EQ(end, net.layout.trained);
    EXPECT_GT(ages.parts().size(), 1U);
  }
}

}  // namespace
