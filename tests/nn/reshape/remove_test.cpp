// Removing units and layers: the right ones go, and what adds nothing goes without a trace.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/drop.h"
#include "nn/reshape/shrink.h"
#include "tests/nn/reshape/support.h"

namespace {

using namespace reshape_test;
using nn_test::mlp;
using nn_test::n;

template <class T>
T& at(nn::Net<T>& net, const char* tensor, std::size_t element) {
  return net.copy(0)[net.layout.find(tensor)->offset + element];
}

template <class T>
void expect_same_numbers(const nn::Net<T>& a, const nn::Net<T>& b, double ulps) {
  ASSERT_EQ(a.spec(), b.spec());
  const double epsilon = std::numeric_limits<T>::epsilon() * ulps;
  for (std::size_t i = 0; i < a.numbers.all().size(); ++i) {
    const auto x = static_cast<double>(a.numbers.all()[i]),
               y = static_cast<double>(b.numbers.all()[i]);
    EXPECT_LE(std::abs(x - y), epsilon * std::abs(x)) << i;
  }
}

TEST(Shrink, TheLowestScoresGoAndOfEqualOnesTheLast) {
  EXPECT_EQ(nn::highest({3, 1, 2, 1, 5}, 3), (std::vector<bool>{true, false, true, false, true}));
  EXPECT_EQ(nn::highest({1, 1, 1}, 2), (std::vector<bool>{true, true, false}));
}

/// Spread of each unit's values over the rows times the length of its outgoing weights, from the
/// outputs of the network cut off behind it.
std::vector<double> scores_by_hand(const nn::Net<double>& net, const nn_test::Table& table) {
  const nn::ModelSpec cut{net.spec().input, {net.spec().layers[0]}};
  nn::Net<double> first = nn::transplant(kernels_of<double>(), net, cut);
  const auto values = outputs(first, table);
  const std::size_t units = 7, rows = values.size() / units;
  std::vector<double> out;
  for (std::size_t u = 0; u < units; ++u) {
    double sum = 0, squares = 0, length = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      sum += values[r * units + u];
      squares += values[r * units + u] * values[r * units + u];
    }
    const double mean = sum / double(rows);
    for (std::size_t o = 0; o < 3; ++o) {
      const double w = net.copy(0)[net.layout.find("output.weight")->offset + u * 3 + o];
      length += w * w;
    }
    out.push_back(std::sqrt((squares / double(rows) - mean * mean) * length));
  }
  return out;
}

TEST(Shrink, RemovesExactlyTheUnitsThatSayLeast) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const nn::ModelSpec spec = mlp(5, {7}, 3);
    const nn::Net<double> net = random_net<double>(spec, "adam", 2, seed);
    const nn_test::Table table = random_rows(spec, 50, seed);
    const auto kept = nn::highest(scores_by_hand(net, table), 4);
    std::vector<std::int64_t> expected;
    for (std::size_t u = 0; u < kept.size(); ++u) {
      if (kept[u]) expected.push_back(std::int64_t(u));
    }
    const auto shrunk = run(net, {"shrink", "dense1", {{"to", n(4)}}}, table);
    EXPECT_EQ(shrunk.units.group("dense1")->ids, expected);
    EXPECT_EQ(shrunk.spec(), mlp(5, {4}, 3));
  }
}

TEST(Shrink, EveryScoreSeesAUnitThatSaysNothing) {
  // Unit 2 is read by nobody, and its batch norm takes it to 0.
  nn::ModelSpec spec{nn::Shape::features(5), {}};
  spec.layers = {{"dense", "fc", {{"units", n(6)}, {"activation", "none"}}},
                 {"batch_norm", "norm", {{"activation", "tanh"}}}};
  spec = nn::with_output(spec, 3);
  nn::Net<double> net = random_net<double>(spec, "adam", 2, 4);
  at(net, "norm.scale", 2) = 0;
  for (std::size_t o = 0; o < 3; ++o) at(net, "output.weight", 2 * 3 + o) = 0;
  const nn_test::Table table = random_rows(spec, 300, 4);
  for (const char* score : {"activation", "weights", "taylor", "scale"}) {
    for (const bool refit : {true, false}) {
      const auto less =
          run(net, {"shrink", "fc", {{"by", n(1)}, {"score", score}, {"refit", refit}}}, table);
      EXPECT_EQ(less.units.group("fc")->ids, (std::vector<std::int64_t>{0, 1, 3, 4, 5})) << score;
      EXPECT_LT(distance(outputs(net, table), outputs(less, table)), 1e-12) << score;
    }
  }
}

TEST(Shrink, TaylorIsTheLossWithoutAUnitToFirstOrder) {
  const nn::ModelSpec spec = mlp(5, {4, 6}, 3, "tanh");
  const nn::Net<double> net = random_net<double>(spec, "sgd", 0, 4);
  const nn_test::Table table = random_rows(spec, 60, 4);
  const auto gated = [&](std::size_t unit, double factor) {
    nn::Net<double> other = net;
    for (std::size_t o = 0; o < 6; ++o) at(other, "dense2.weight", unit * 6 + o) *= factor;
    const auto out = outputs(other, table);
    double loss = 0;
    for (std::size_t r = 0; r < 60; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += std::exp(out[r * 3 + c]);
      loss += std::log(sum) - out[r * 3 + std::size_t(table.labels[r])];
    }
    return loss / 60;
  };
  std::vector<double> scores;
  for (std::size_t u = 0; u < 4; ++u) {
    scores.push_back(std::pow(gated(u, 1 + 1e-5) - gated(u, 1 - 1e-5), 2));
  }
  const auto kept = nn::highest(scores, 3);
  const auto less = run(net, {"shrink", "dense1", {{"to", n(3)}, {"score", "taylor"}}}, table);
  const auto& ids = less.units.group("dense1")->ids;
  for (std::size_t u = 0; u < 4; ++u) {
    EXPECT_EQ(std::ranges::find(ids, std::int64_t(u)) != ids.end(), bool(kept[u]));
  }
}

TEST(Shrink, SlotsOfWhatStaysAreCarriedBitForBit) {
  const nn::ModelSpec spec = mlp(5, {7}, 3);
  const nn::Net<double> net = random_net<double>(spec, "adam", 2, 1);
  const nn_test::Table table = random_rows(spec, 50, 1);
  const auto fitted = run(net, {"shrink", "dense1", {{"to", n(4)}}}, table);
  const auto plain = run(net, {"shrink", "dense1", {{"to", n(4)}, {"refit", false}}}, table);
  EXPECT_TRUE(std::ranges::equal(fitted.copy(1), plain.copy(1)));
  EXPECT_TRUE(std::ranges::equal(fitted.copy(2), plain.copy(2)));
  EXPECT_FALSE(std::ranges::equal(fitted.copy(0), plain.copy(0)));
}

template <class T>
void replicate_and_merge(std::uint64_t seed) {
  Dice dice(seed);
  const nn::ModelSpec spec = random_spec(dice);
  const nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  const nn_test::Table table = random_rows(spec, 8, seed);
  for (const std::string& layer : nn::resizable_layers(spec)) {
    const std::int64_t by = dice.whole(1, 9);
    const auto wide = run(net, {"widen", layer, {{"by", by}, {"rule", "replicate"}}}, table);
    const auto back = run(wide, {"tidy", layer, {}}, table);
    if (back.spec() != spec) continue;  // equal units by accident
    const auto units = nn::integer(spec.layers[nn::find_layer(spec, layer)].fields, "units");
    expect_same_numbers(net, back, double(by / units + 2));
  }
}

TEST(Tidy, UndoesCopies) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    replicate_and_merge<float>(seed);
    replicate_and_merge<double>(seed);
  }
}

TEST(Tidy, RemovesWhatNobodyReads) {
  const nn::ModelSpec spec = mlp(5, {4, 3}, 2);
  const nn::Net<float> net = random_net<float>(spec, "adam", 2, 1);
  const nn_test::Table table = random_rows(spec, 8, 1);
  const auto wide = run(net, {"widen", "dense1", {{"by", n(3)}}}, table);
  expect_same_numbers(net, run(wide, {"tidy", "dense1", {}}, table), 0);
  const auto untouched = run(wide, {"tidy", "dense1", {{"unread", false}}}, table);
  EXPECT_EQ(untouched.spec(), wide.spec());
}

/// What layer `c`, a convolution of one pixel on images of `side` x `side`, reads of rows that are
/// 1 in column 5 and 0 elsewhere: its share of ones.
double share_of_column(std::int64_t side, std::uint32_t rows, nn::Kept kept) {
  nn::ModelSpec spec{.input = nn::Shape::image(side, side, 1), .layers = {}};
  spec.layers = {{"conv2d", "c", {{"units", n(2)}, {"kernel", n(1)}}}, {"global_pool", "g", {}}};
  spec = nn::with_output(spec, 2);
  const nn::Net<double> net = random_net<double>(spec, "sgd", 0, 1);
  nn_test::Table table = random_rows(spec, rows, 1);
  std::ranges::fill(table.shift, 0.0F);
  std::ranges::fill(table.scale, 1.0F);
  for (std::size_t i = 0; i < table.x.size(); ++i)
    table.x[i] = i % static_cast<std::size_t>(side) == 5 ? 1.0F : 0.0F;
  nn::Workspace workspace;
  const nn::DataView view = view_for(table, spec);
  const nn::Operation operation{"tidy", "c", {}};
  const nn::ReshapeJob<double> job{kernels_of<double>(), workspace, net, operation, spec, view, 1};
  const auto seen = nn::layer_inputs(job, 0, kept);
  return seen.sums[0] / static_cast<double>(seen.rows);
}

TEST(Calibration, ReadsAllColumnsOfAnImageAlike) {
  for (const std::int64_t side : {7, 8, 14}) {
    const double expected = 1.0 / static_cast<double>(side);
    EXPECT_NEAR(share_of_column(side, 6000, nn::Kept::all), expected, 0.1 * expected) << side;
    EXPECT_NEAR(share_of_column(side, 100, nn::Kept::sums), expected, 1e-12) << side;
  }
}

TEST(Tidy, ReadsEveryPositionBeforeAUnitCountsAsDead) {
  EXPECT_NEAR(share_of_column(7, 6000, nn::Kept::sums), 1.0 / 7, 1e-12);
}

TEST(Tidy, RemovesTheDeadButLeavesOne) {
  const nn::ModelSpec spec = mlp(2, {3}, 2);
  nn::Net<double> net = random_net<double>(spec, "sgd", 0, 1);
  const nn_test::Table table = random_rows(spec, 30, 1);
  at(net, "dense1.bias", 1) = -100;
  const auto alive = run(net, {"tidy", "dense1", {{"dead", true}}}, table);
  EXPECT_EQ(alive.units.group("dense1")->ids, (std::vector<std::int64_t>{0, 2}));
  EXPECT_LT(distance(outputs(net, table), outputs(alive, table)), 1e-12);
  for (std::size_t u = 0; u < 3; ++u) at(net, "dense1.bias", u) = -100;
  EXPECT_EQ(run(net, {"tidy", "dense1", {{"dead", true}}}, table).spec(), mlp(2, {1}, 2));
}

template <class T>
void deepen_and_drop(const std::string& form, std::uint64_t seed) {
  Dice dice(seed);
  const nn::ModelSpec spec = random_spec(dice);
  const nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  const nn_test::Table table = random_rows(spec, 8, seed);
  for (const std::string& layer : nn::resizable_layers(spec)) {
    const nn::LayerSpec& old = spec.layers[nn::find_layer(spec, layer)];
    const std::string& activation = nn::word(old.fields, "activation");
    if (form == "identity" && activation != "relu" && activation != "none") continue;
    const auto deep = run(net, {"deepen", layer, {{"form", form}}}, table);
    const std::string& added = deep.spec().layers[nn::find_layer(deep.spec(), layer) + 1].name;
    EXPECT_TRUE(nn::drops_exactly(deep, added)) << added << " of " << nn::describe(deep.spec());
    expect_same_numbers(net, run(deep, {"drop", added, {{"exact", true}}}, table), 0);
  }
}

TEST(Drop, UndoesDeepening) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    deepen_and_drop<float>("identity", seed);
    deepen_and_drop<double>("identity", seed);
    deepen_and_drop<float>("residual", seed);
    deepen_and_drop<double>("residual", seed);
  }
}

TEST(Drop, ABlockThatAddsNothingHasItsReluBeforeItNotInside) {
  const nn_test::Table table = random_rows(mlp(4, {3}, 2), 8, 1);
  for (const char* before : {"relu", "tanh"}) {
    for (const char* inside : {"relu", "none"}) {
      nn::ModelSpec spec = nn_test::residual(4, 3, 2);
      spec.layers[0].fields["activation"] = before;
      spec.layers[3].fields["activation"] = inside;
      nn::Net<double> net = random_net<double>(spec, "sgd", 0, 1);
      for (const char* tensor : {"fc2.weight", "fc2.bias"}) {
        const nn::ParamTensor& zero = *net.layout.find(tensor);
        std::ranges::fill(net.copy(0).subspan(zero.offset, zero.count), 0);
      }
      const auto less = run(net, {"drop", "block", {}}, table);
      const bool same = distance(outputs(net, table), outputs(less, table)) == 0;
      EXPECT_EQ(same, before == std::string("relu"));
      EXPECT_EQ(nn::drops_exactly(net, "block"), same) << before << " " << inside;
    }
  }
}

TEST(Drop, RefusesABlockThatEndsWithABlockThatAddsNothing) {
  const nn::ModelSpec spec = mlp(3, {4}, 2);
  const nn_test::Table table = random_rows(spec, 8, 1);
  auto block = run(random_net<double>(spec, "sgd", 0, 1), {"deepen", "dense1", {}}, table);
  std::ranges::fill(block.copy(0).subspan(block.layout.find("dense1_1_out.weight")->offset, 4), 1);
  const auto both = run(block, {"deepen", "dense1_1_out", {}}, table);
  EXPECT_FALSE(nn::drops_exactly(both, "dense1_1_begin")) << nn::describe(both.spec());
  EXPECT_TRUE(nn::drops_exactly(both, "dense1_1_out_1_begin"));
}

TEST(Drop, RefusesAKernelThatReadsAnotherPixel) {
  const auto identity = [](std::int64_t kernel, nn::FieldValue padding, std::size_t one) {
    const nn::Fields fields{{"units", n(1)},
                            {"kernel", kernel},
                            {"padding", std::move(padding)},
                            {"activation", "none"}};
    nn::ModelSpec spec{.input = nn::Shape::image(4, 4, 1), .layers = {{"conv2d", "c", fields}}};
    spec.layers.push_back({"flatten", "flat", {}});
    nn::Net<double> net = random_net<double>(nn::with_output(spec, 2), "sgd", 0, 1);
    const nn::ParamTensor& weight = *net.layout.find("c.weight");
    std::ranges::fill(net.copy(0).subspan(weight.offset, weight.count), 0);
    at(net, "c.weight", one) = 1;
    at(net, "c.bias", 0) = 0;
    return nn::drops_exactly(net, "c");
  };
  EXPECT_TRUE(identity(3, "same", 4));
  EXPECT_FALSE(identity(2, "same", 2));
}

TEST(Drop, RefusesWhatWouldChangeSomething) {
  const nn::ModelSpec spec = mlp(4, {4, 4}, 2);
  const nn::Net<float> net = random_net<float>(spec, "sgd", 0, 1);
  const nn_test::Table table = random_rows(spec, 8, 1);
  EXPECT_THROW((void)run(net, {"drop", "dense2", {{"exact", true}}}, table), base::Error);
  const auto less = run(net, {"drop", "dense2", {}}, table);
  EXPECT_EQ(less.spec().layers.size(), 2U);
  EXPECT_THROW((void)nn::reshaped(mlp(4, {4, 3}, 2), {"drop", "dense2", {}}), nn::SpecError);
  EXPECT_THROW((void)nn::reshaped(spec, {"drop", "output", {}}), nn::SpecError);
}

}  // namespace
