// What a network computes stays as it is: over random networks and sequences of operations, in
// float and double.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernels/kernels.h"
#include "nn/layers/layer.h"
#include "nn/model/init.h"
#include "nn/model/slab.h"
#include "nn/reshape/reading.h"
#include "nn/reshape/refit.h"
#include "tests/nn/reshape/support.h"

namespace {

using namespace reshape_test;
using nn_test::n;

/// Tolerances of an exact operation.
template <class T>
constexpr double kTolerance = sizeof(T) == 8 ? 1e-12 : 1e-5;

/// Whether a copy of a unit is dropped when its original is not, so that training sees another
/// network although each row on average the same: dropout draws for each unit by its id.
bool copies_are_dropped_apart(const nn::ModelSpec& spec, const nn::Operation& operation) {
  const auto rule = operation.fields.find("rule");
  const bool copies =
      rule != operation.fields.end() && rule->second != nn::FieldValue(std::string("fresh"));
  return copies &&
         std::ranges::find(spec.layers, "dropout", &nn::LayerSpec::kind) != spec.layers.end();
}

/// How far the outputs of a network move when every weight moves by its rounding. Where a batch is
/// normalised by a variance of nearly 0, that is far.
template <class T>
double moved_by_rounding(const nn::Net<T>& net, const nn_test::Table& table, nn::Use use) {
  nn::Net<T> moved = net;
  T step = std::numeric_limits<T>::epsilon();
  for (T& weight : moved.copy(0)) weight *= 1 + (step = -step);
  return distance(outputs(net, table, use), outputs(moved, table, use));
}

template <class T>
void expect_preserved(const nn::Net<T>& before, const nn::Net<T>& after,
                      const nn_test::Table& table, const nn::Operation& operation) {
  for (const nn::Use use : {nn::Use::inference, nn::Use::training}) {
    if (use == nn::Use::training && copies_are_dropped_apart(before.spec(), operation)) continue;
    const auto old = outputs(before, table, use), now = outputs(after, table, use);
    EXPECT_LE(distance(old, now), kTolerance<T> * std::max(1.0, largest(old)) +
                                      10 * moved_by_rounding(before, table, use))
        << nn::describe(operation) << " of " << nn::describe(before.spec());
  }
}

/// The operations that promise to change nothing, with random sizes.
std::vector<nn::Operation> growths(Dice& dice, const nn::ModelSpec& spec) {
  std::vector<nn::Operation> out;
  for (const std::string& layer : nn::resizable_layers(spec)) {
    out.push_back({"widen", layer, {{"by", dice.whole(1, 5)}}});
    out.push_back({"widen", layer, {{"by", 2 * dice.whole(1, 3)}, {"rule", "pair"}}});
    out.push_back({"widen", layer, {{"by", dice.whole(1, 9)}, {"rule", "replicate"}}});
    out.push_back({"deepen", layer, {{"form", "identity"}}});
    out.push_back({"deepen", layer, {{"form", "residual"}}});
  }
  std::erase_if(out, [&](const nn::Operation& operation) {
    try {
      (void)nn::reshaped(spec, operation);
      return false;
    } catch (const nn::SpecError&) {
      return true;
    }
  });
  return out;
}

template <class T>
void grow_at_random(std::uint64_t seed) {
  Dice dice(seed);
  const nn::ModelSpec spec = random_spec(dice);
  const nn_test::Table table = random_rows(spec, 20, seed);
  nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  for (int step = 0; step < 4; ++step) {
    const auto possible = growths(dice, net.spec());
    if (possible.empty()) return;
    const auto& growth = possible[std::size_t(dice.whole(0, std::ssize(possible) - 1))];
    const nn::Net<T> grown = run(net, growth, table, seed);
    EXPECT_EQ(grown.spec(), nn::reshaped(net.spec(), growth));
    expect_preserved(net, grown, table, growth);
    net = grown;
  }
}

TEST(Preserve, IsTriedOnEveryRegisteredLayer) {
  std::vector<std::string> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Dice dice(seed);
    for (const nn::LayerSpec& layer : random_spec(dice).layers) seen.push_back(layer.kind);
  }
  for (const nn::KindInfo& kind : nn::layer_kinds())
    EXPECT_NE(std::ranges::find(seen, kind.kind), seen.end())
        << kind.kind << ": random_spec of tests/nn/reshape/support.cpp draws none";
}

TEST(Preserve, GrowingChangesNothingInFloat) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) grow_at_random<float>(seed);
}

TEST(Preserve, GrowingChangesNothingInDouble) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) grow_at_random<double>(seed);
}

TEST(Preserve, GradMaxChangesNothingButForItsBias) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Dice dice(seed);
    const nn::ModelSpec spec = nn_test::mlp(5, {dice.whole(1, 6), dice.whole(1, 6)}, 3);
    const nn_test::Table table = random_rows(spec, 30, seed);
    const nn::Net<double> net = random_net<double>(spec, "adam", 2, seed);
    const nn::Operation growth{"widen", "dense1", {{"by", dice.whole(1, 6)}, {"rule", "gradmax"}}};
    const auto old = outputs(net, table), now = outputs(run(net, growth, table), table);
    EXPECT_LE(distance(old, now), 1e-5 * std::max(1.0, largest(old)));
    most = std::max(most, distance(old, now));
  }
  EXPECT_GT(most, 0);
}

/// The layer that the output layer alone reads, or empty: then the outputs are its reader's sums.
std::string read_by_the_output(const nn::ModelSpec& spec) {
  for (const std::string& layer : nn::resizable_layers(spec)) {
    const auto readers = nn::readers_of(spec, nn::resizable_group(spec, layer));
    if (readers.size() == 1 && readers[0].layer() + 1 == spec.layers.size()) return layer;
  }
  return "";
}

template <class T>
void fit_is_better_than_none(std::uint64_t seed) {
  Dice dice(seed);
  const nn::ModelSpec spec = random_spec(dice);
  const std::string layer = read_by_the_output(spec);
  if (layer.empty() || nn::units_of(spec, nn::resizable_group(spec, layer)) < 2) return;
  const nn_test::Table table = random_rows(spec, 40, seed);
  const nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  const auto error = [&](bool refit) {
    const nn::Operation shrink{"shrink", layer, {{"by", n(1)}, {"refit", refit}}};
    const auto old = outputs(net, table), now = outputs(run(net, shrink, table), table);
    double sum = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
      sum += std::pow(static_cast<double>(old[i]) - static_cast<double>(now[i]), 2);
    }
    return sum / static_cast<double>(old.size());
  };
  const double fitted = error(true), plain = error(false);
  EXPECT_LE(fitted, plain * (1 + 1e-6) + (sizeof(T) == 8 ? 1e-20 : 1e-9))
      << layer << " of " << nn::describe(spec);
}

TEST(Preserve, ARefitIsNeverWorseThanNone) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    fit_is_better_than_none<float>(seed);
    fit_is_better_than_none<double>(seed);
  }
}

/// The refit as its definition has it: normal equations over the rows, by the reference's algebra.
std::vector<double> ridge_by_hand(const nn::Net<double>& net, const std::vector<std::int64_t>& ids,
                                  const nn_test::Table& table) {
  const nn::ModelSpec cut{net.spec().input, {net.spec().layers[0]}};
  const auto values = outputs(nn::transplant(kernels_of<double>(), net, cut), table);
  const std::size_t units = net.units.group("dense1")->ids.size(), rows = values.size() / units;
  const std::size_t n = ids.size() + 1, outputs = 2;
  const double* w = net.copy(0).data() + net.layout.find("output.weight")->offset;
  const auto seen = [&](std::size_t row, std::size_t i) {
    return i + 1 == n ? 1 : values[row * units + static_cast<std::size_t>(ids[i])];
  };
  std::vector<double> matrix(n * n), change(n * outputs);
  for (std::size_t row = 0; row < rows; ++row) {
    double lost[outputs]{};
    for (std::size_t u = 0; u < units; ++u) {
      if (std::ranges::find(ids, std::int64_t(u)) != ids.end()) continue;
      for (std::size_t o = 0; o < outputs; ++o)
        lost[o] += values[row * units + u] * w[u * outputs + o];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] += seen(row, i) * seen(row, j);
      for (std::size_t o = 0; o < outputs; ++o) change[i * outputs + o] += seen(row, i) * lost[o];
    }
  }
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += matrix[i * n + i];
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += nn::kRidge * trace / double(n);
  EXPECT_TRUE(kern::ref_kernels<double>().algebra->solve_positive(int(n), int(outputs),
                                                                  matrix.data(), change.data()));
  return change;
}

TEST(Preserve, ARefitIsTheRidgeWithMoreRowsThanUnitsAndWithFewer) {
  const nn::ModelSpec spec = nn_test::mlp(6, {30}, 2, "tanh");
  for (const std::uint32_t rows : {200U, 12U}) {
    const nn::Net<double> net = random_net<double>(spec, "sgd", 0, 8);
    const nn_test::Table table = random_rows(spec, rows, 8);
    const auto fitted = run(net, {"shrink", "dense1", {{"to", n(20)}}}, table);
    const auto& ids = fitted.units.group("dense1")->ids;
    const auto change = ridge_by_hand(net, ids, table);
    const double* before = net.copy(0).data() + net.layout.find("output.weight")->offset;
    const double* after = fitted.copy(0).data() + fitted.layout.find("output.weight")->offset;
    for (std::size_t i = 0; i < ids.size() * 2; ++i) {
      const double old = before[static_cast<std::size_t>(ids[i / 2]) * 2 + i % 2];
      EXPECT_NEAR(after[i] - old, change[i], 1e-9 * largest(change)) << rows << " rows, " << i;
    }
  }
}

TEST(Preserve, ALayerThatIsReadInManyPlacesIsShrunkInLittleMemory) {
  // 40,001 columns: the sums of their products would take 12.8 GB.
  nn::ModelSpec spec{nn::Shape::image(50, 50, 1), {}};
  spec.layers = {{"conv2d", "c1", {{"units", n(16)}, {"padding", "same"}}},
                 {"flatten", "flat", {}}};
  spec = nn::with_output(spec, 2);
  const nn_test::Table table = random_rows(spec, 20, 2);
  nn::Hyper hyper = nn_test::hyper("sgd", {});
  nn::ParamSlab slab(nn::slab_header(spec, hyper.optimizer));
  nn::init_weights(slab, 3);
  const nn::Net<float> net = nn::net_of(slab);
  const auto error = [&](bool refit) {
    const auto less = run(net, {"shrink", "c1", {{"by", n(2)}, {"refit", refit}}}, table);
    return distance(outputs(net, table), outputs(less, table));
  };
  EXPECT_LT(error(true), 0.1F * error(false));
}

TEST(Preserve, ARefitFindsWhatWasThereTwice) {
  // Unit 2 is the sum of the others, so nothing is lost when the fit gives them its part.
  nn::ModelSpec spec = nn_test::mlp(4, {3}, 2, "none");
  nn::Net<double> net = random_net<double>(spec, "sgd", 0, 3);
  const nn::ParamTensor &w = *net.layout.find("dense1.weight"),
                        &b = *net.layout.find("dense1.bias");
  for (std::size_t row = 0; row < 4; ++row) {
    double* weights = net.copy(0).data() + w.offset + row * 3;
    weights[2] = weights[0] + weights[1];
  }
  double* bias = net.copy(0).data() + b.offset;
  bias[2] = bias[0] + bias[1];
  const nn_test::Table table = random_rows(spec, 50, 3);
  const auto fitted = run(net, {"shrink", "dense1", {{"by", n(1)}}}, table);
  const auto plain = run(net, {"shrink", "dense1", {{"by", n(1)}, {"refit", false}}}, table);
  const auto old = outputs(net, table);
  EXPECT_LT(distance(old, outputs(fitted, table)), 0.02 * distance(old, outputs(plain, table)));
}

/// Whether what leaves a layer in one unit changes when another unit's input does.
bool mixes(const nn::ModelSpec& spec) {
  const nn::Net<double> net = random_net<double>(spec, "sgd", 0, 5);
  const nn_test::Table table = random_rows(spec, 6, 5);
  const auto units = static_cast<std::size_t>(nn::infer_flows(spec).back().units.units);
  nn_test::Table other = table;
  for (std::size_t i = 0; i < other.x.size(); i += units) other.x[i] += 1;
  const auto a = outputs(net, table), b = outputs(net, other);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % units != 0 && a[i] != b[i]) return true;
  }
  return false;
}

TEST(Preserve, EveryRegisteredLayerThatMixesUnitsSaysSo) {
  for (const nn::Layer* kind : nn::layers()) {
    for (const nn::LayerExample& example : kind->examples()) {
      if (!example.before.empty() || !example.after.empty()) continue;
      const nn::LayerSpec layer = nn::layer(kind->info().kind, "probed", example.fields);
      const nn::ModelSpec spec = nn::complete({example.input, {layer}});
      if (nn::infer_flows(spec).back().units.group != "input") continue;  // units of its own
      if (example.input.dims.back() < 2) continue;
      EXPECT_EQ(mixes(spec), !kind->holds_units(spec.layers[0]).empty()) << nn::describe(spec);
    }
  }
}

}  // namespace
