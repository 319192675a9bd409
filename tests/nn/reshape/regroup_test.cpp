// The primitive: what was there comes back bit for bit, ids are never reused, births are kept.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "nn/reshape/anatomy.h"
#include "tests/nn/reshape/support.h"

namespace {

using namespace reshape_test;

/// The first `units` units of a group.
nn::UnitMap first_units_of(const std::string& group, std::int32_t units) {
  nn::UnitMap map{group, std::vector<std::int32_t>(std::size_t(units))};
  std::iota(map.source.begin(), map.source.end(), 0);
  return map;
}

template <class T>
void widen_and_undo(std::uint64_t seed) {
  Dice dice(seed);
  const nn::ModelSpec spec = random_spec(dice);
  const nn_test::Table table = random_rows(spec, 4, seed);
  const nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  for (const std::string& layer : nn::resizable_layers(spec)) {
    const std::string group = nn::resizable_group(spec, layer);
    const nn::Net<T> wide = run(net, {"widen", layer, {{"by", dice.whole(1, 5)}}}, table);
    const nn::Net<T> back = regrouped(wide, spec, first_units_of(group, nn::units_of(spec, group)));
    EXPECT_TRUE(same_bits(back, net)) << layer << " of " << nn::describe(spec);
    EXPECT_EQ(back.units.axes, net.units.axes);
    EXPECT_EQ(back.units.group(group)->ids, net.units.group(group)->ids);
    EXPECT_EQ(back.units.group(group)->next, wide.units.group(group)->next);
  }
}

TEST(Regroup, WideningAndShrinkingRestoresEveryBit) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    widen_and_undo<float>(seed);
    widen_and_undo<double>(seed);
  }
}

TEST(Regroup, IdsAreNeverUsedTwice) {
  const nn::ModelSpec spec = nn_test::mlp(3, {4}, 2);
  nn::Net<float> net = random_net<float>(spec, "sgd", 1, 1);
  const nn_test::Table table = random_rows(spec, 4, 1);
  net = run(net, {"widen", "dense1", {{"to", nn_test::n(6)}}}, table);
  EXPECT_EQ(net.units.group("dense1")->ids, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  net = regrouped(net, spec, {"dense1", {5, 0, 3, 3}});
  EXPECT_EQ(net.units.group("dense1")->ids, (std::vector<std::int64_t>{5, 0, 3, 6}));
  net = run(net, {"widen", "dense1", {{"by", nn_test::n(1)}}}, table);
  EXPECT_EQ(net.units.group("dense1")->ids, (std::vector<std::int64_t>{5, 0, 3, 6, 7}));
}

TEST(Regroup, FreshUnitsAreBornNow) {
  const nn::ModelSpec spec = nn_test::mlp(3, {4}, 2);
  nn::Net<float> net = random_net<float>(spec, "adam", 2, 1);
  net = run(net, {"widen", "dense1", {{"by", nn_test::n(1)}}}, random_rows(spec, 4, 1));
  for (const auto& axis : net.units.axes) {
    const bool grown =
        net.layout.tensors[std::size_t(axis.tensor)].axes[std::size_t(axis.axis)].group == "dense1";
    const std::vector<std::int64_t> old{0, 0}, young{0, 0, 0, 0, 40};
    EXPECT_EQ(axis.births, grown ? young : old);
  }
}

/// The youngest birth along the axes of a tensor.
std::int64_t youngest(const nn::Net<float>& net, const std::string& name) {
  const auto index = net.layout.find(name) - net.layout.tensors.data();
  std::int64_t out = 0;
  for (const auto& axis : net.units.axes) {
    if (axis.tensor == index) out = std::max(out, std::ranges::max(axis.births));
  }
  return out;
}

TEST(Regroup, NewLayersAreYoungBetweenOldOnes) {
  const nn::ModelSpec spec = nn_test::mlp(3, {4, 4}, 2);
  const nn::Net<float> net = random_net<float>(spec, "adam", 2, 1);
  const nn_test::Table table = random_rows(spec, 4, 1);
  const auto same = run(net, {"deepen", "dense1", {{"form", "identity"}}}, table);
  const auto block = run(net, {"deepen", "dense1", {{"form", "residual"}}}, table);
  for (const auto& deep : {same, block}) {
    for (const char* old : {"dense1.weight", "dense2.weight", "dense2.bias", "output.weight"}) {
      EXPECT_EQ(youngest(deep, old), 0) << old;
    }
  }
  EXPECT_EQ(youngest(same, "dense1_1.weight"), 40);
  for (const char* fresh : {"dense1_1_in.weight", "dense1_1_out.weight", "dense1_1_out.bias"}) {
    EXPECT_EQ(youngest(block, fresh), 40) << fresh;
  }
}

TEST(Regroup, DrawsHangOnIdsNotOnPlaces) {
  const nn::ModelSpec spec = nn_test::mlp(3, {4, 4}, 2);
  const nn_test::Table table = random_rows(spec, 4, 1);
  const nn::Net<float> net = random_net<float>(spec, "sgd", 1, 1);
  const nn::Operation grow{"widen", "dense2", {{"by", nn_test::n(2)}}};
  const auto direct = run(net, grow, table);
  const auto turned = run(regrouped(net, spec, {"dense1", {3, 1, 0, 2}}), grow, table);
  const auto back = regrouped(turned, direct.spec(), {"dense1", {2, 1, 3, 0}});
  EXPECT_TRUE(same_bits(back, direct));
}

TEST(Regroup, SlotsAreScaledAsTheirGradients) {
  const nn::ModelSpec spec = nn_test::mlp(1, {1}, 2);
  const nn::Net<double> net = random_net<double>(spec, "adam", 2, 7);
  const nn::ModelSpec wide = nn::reshaped(spec, {"widen", "dense1", {{"by", nn_test::n(1)}}});
  const nn::Net<double> two = regrouped(net, wide, {"dense1", {0, 0}, {1, 1}, {0.25, 0.75}});
  const auto at = [](const nn::Net<double>& n, const char* tensor, int copy, std::size_t i) {
    return n.copy(copy)[n.layout.find(tensor)->offset + i];
  };
  EXPECT_EQ(at(two, "dense1.weight", 0, 1), at(net, "dense1.weight", 0, 0));
  EXPECT_EQ(at(two, "output.weight", 0, 2), at(net, "output.weight", 0, 0) * 0.75);
  EXPECT_EQ(at(two, "dense1.weight", 1, 1), at(net, "dense1.weight", 1, 0) * 0.75);
  EXPECT_EQ(at(two, "dense1.bias", 2, 0), at(net, "dense1.bias", 2, 0) * 0.0625);
  EXPECT_EQ(at(two, "output.weight", 1, 2), at(net, "output.weight", 1, 0));
}

TEST(Regroup, ASlabKeepsIdsAndBirths) {
  const nn::ModelSpec spec = nn_test::mlp(3, {4}, 2);
  nn::ParamSlab slab(nn::slab_header(spec, {"adam", {}}));
  EXPECT_EQ(slab.units(), nn::first_units(spec));
  EXPECT_THROW(slab.set_units(slab.units()), std::logic_error);
  slab.state().steps = 9;
  nn::Net<float> net = nn::net_of(slab);
  net = run(net, {"widen", "dense1", {{"by", nn_test::n(2)}}}, random_rows(spec, 4, 1));
  const nn::ParamSlab grown = nn::slab_of(net);
  EXPECT_TRUE(grown.header().reshaped);
  EXPECT_EQ(grown.units(), net.units);
  EXPECT_EQ(grown.state().steps, 9);
  EXPECT_EQ(grown.bytes().size(), nn::ParamSlab::byte_size(grown.header()));
}

}  // namespace
