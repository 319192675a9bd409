#include "nn/model/slab.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "nn/model/init.h"
#include "nn/training/optimizer_slots.h"
#include "nn/training/random.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::mlp;
using nn_test::n;

nn::ParamSlab fresh(const nn::ModelSpec& spec, std::uint64_t seed = 3,
                    const std::string& optimizer = "adam") {
  nn::ParamSlab slab(nn::slab_header(spec, {optimizer, {}}));
  nn::init_weights(slab, seed);
  return slab;
}

/// The weights that feed one unit.
std::vector<float> unit(const nn::ParamSlab& slab, const std::string& tensor_name, std::size_t u) {
  const nn::ParamLayout layout = nn::param_layout(slab.spec());
  const nn::ParamTensor* tensor = layout.find(tensor_name);
  std::vector<float> out;
  const auto columns = static_cast<std::size_t>(tensor->dims[1]);
  for (std::size_t i = 0; i < tensor->count / columns; ++i) {
    out.push_back(slab.weights()[tensor->offset + i * columns + u]);
  }
  return out;
}

TEST(Slab, HoldsWeightsSlotsAndState) {
  const nn::ParamSlab::Header header = nn::slab_header(mlp(7, {5}, 3), {"adam", {}});
  EXPECT_EQ(header.slots, 2);
  EXPECT_EQ(nn::ParamSlab::byte_size(header), 3U * 96 * sizeof(float) + 64);
  nn::ParamSlab slab(header);
  EXPECT_EQ(slab.bytes().size(), nn::ParamSlab::byte_size(header));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slab.bytes().data()) % 64, 0U);
  EXPECT_EQ(slab.slot(0).data(), slab.weights().data() + 96);
  EXPECT_EQ(slab.slot(1).data(), slab.weights().data() + 192);
  EXPECT_THROW((void)slab.slot(2), std::out_of_range);
  slab.state().steps = 5;
  const auto* bytes = slab.bytes().data();
  const nn::ParamSlab moved = std::move(slab);
  EXPECT_EQ(moved.bytes().data(), bytes);
  EXPECT_EQ(moved.state().steps, 5);
}

TEST(Slab, AViewSharesItsBytes) {
  nn::ParamSlab owner = fresh(mlp(7, {5}, 3));
  nn::ParamSlab view(owner.header(), owner.bytes().data());
  view.weights()[0] = 42;
  EXPECT_EQ(owner.weights()[0], 42);
}

TEST(Slab, SlotsFollowFromTheOptimizersFields) {
  const nn::ModelSpec spec = mlp(2, {}, 2);
  EXPECT_EQ(nn::slab_header(spec, {"sgd", {}}).slots, 0);
  EXPECT_EQ(nn::slab_header(spec, {"sgd", {{"momentum", 0.9}}}).slots, 1);
  EXPECT_EQ(nn::slab_header(spec, {"rmsprop", {}}).slots, 1);
  EXPECT_EQ(nn::slab_header(spec, {"rmsprop", {{"momentum", 0.5}}}).slots, 2);
}

TEST(Slab, OtherOptionsOfItsOptimizerKeepWhatBothRemember) {
  const nn::Choice plain{"rmsprop", {}}, heavy{"rmsprop", {{"momentum", 0.5}}};
  nn::ParamSlab net(nn::slab_header(mlp(7, {5}, 3), plain));
  nn::init_weights(net, 3);
  std::ranges::fill(net.slot(0), 2.0F);
  net.state() = {.steps = 5, .rows = 80};
  const nn::ParamSlab more = nn::with_slots_for(net, heavy);
  EXPECT_EQ(more.header().slots, 2);
  EXPECT_TRUE(std::ranges::equal(more.weights(), net.weights()));
  EXPECT_TRUE(std::ranges::equal(more.slot(0), net.slot(0)));
  EXPECT_TRUE(std::ranges::all_of(more.slot(1), [](float x) { return x == 0; }));
  EXPECT_EQ(more.state().steps, 5);
  EXPECT_EQ(more.state().rows, 80);
  const nn::ParamSlab back = nn::with_slots_for(more, plain);
  EXPECT_TRUE(std::ranges::equal(back.bytes(), net.bytes()));
  EXPECT_THROW((void)nn::with_slots_for(net, {"sgd", {}}), base::Error);
}

TEST(Init, AUnitDoesNotDependOnTheWidthOfItsLayer) {
  const nn::ParamSlab narrow = fresh(mlp(9, {4}, 3)), wide = fresh(mlp(9, {32}, 3));
  for (std::size_t u = 0; u < 4; ++u) {
    EXPECT_EQ(unit(narrow, "dense1.weight", u), unit(wide, "dense1.weight", u));
  }
}

TEST(Init, AUnitsDrawsDoNotDependOnTheLayerBefore) {
  const auto a = unit(fresh(mlp(9, {6, 4}, 3)), "dense2.weight", 1);
  const auto b = unit(fresh(mlp(9, {24, 4}, 3)), "dense2.weight", 1);
  const float scale = std::sqrt(6.0F / 6) / std::sqrt(6.0F / 24);  // he: only the fan-in differs
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_FLOAT_EQ(a[i], b[i] * scale);
}

TEST(Init, APixelsDrawsDoNotDependOnTheChannelsBefore) {
  const auto first_inputs = [](std::int64_t channels) {
    nn::ModelSpec spec{nn::Shape::image(3, 3, 1), {}};
    spec.layers = {{"conv2d", "c", {{"units", channels}, {"kernel", n(2)}}}, {"flatten", "", {}}};
    const nn::ParamSlab slab = fresh(nn::with_output(spec, 2));
    const auto all = unit(slab, "output.weight", 0);
    std::vector<float> out;  // channel 1 of each of the four pixels, the scale taken out
    const float fan = 4.0F * static_cast<float>(channels) + 2.0F;
    for (std::size_t p = 0; p < 4; ++p) {
      out.push_back(all[p * static_cast<std::size_t>(channels) + 1] / std::sqrt(6 / fan));
    }
    return out;
  };
  const auto a = first_inputs(2), b = first_inputs(7);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(a[i], b[i]);
}

TEST(Init, SpreadIsHeOrGlorotAndBiasesAreZero) {
  const auto spread = [](const nn::ParamSlab& slab, const std::string& name) {
    const nn::ParamLayout layout = nn::param_layout(slab.spec());
    const nn::ParamTensor* t = layout.find(name);
    double sum = 0;
    for (const float w : slab.weights().subspan(t->offset, t->count)) sum += double{w} * double{w};
    return sum / static_cast<double>(t->count);
  };
  const nn::ParamSlab relu = fresh(mlp(200, {100}, 10)), tanh = fresh(mlp(200, {100}, 10, "tanh"));
  EXPECT_NEAR(spread(relu, "dense1.weight"), 2.0 / 200, 0.0003);
  EXPECT_NEAR(spread(tanh, "dense1.weight"), 2.0 / 300, 0.0003);
  EXPECT_EQ(spread(relu, "dense1.bias"), 0.0);
  EXPECT_TRUE(std::ranges::all_of(relu.slot(0), [](float v) { return v == 0; }));
}

TEST(Init, SeedsLayersUnitsInputsAndPositionsAllDiffer) {
  for (const nn::ModelSpec& spec : {mlp(16, {16, 16}, 16, "tanh"), nn_test::lenet(3, 4, 5)}) {
    std::set<float> seen;
    std::size_t drawn = 0;
    for (const std::uint64_t seed : {1, 2}) {
      const nn::ParamSlab slab = fresh(spec, seed);
      for (const auto& t : nn::param_layout(slab.spec()).tensors) {
        if (t.role != nn::ParamRole::weight) continue;
        for (const float w : slab.weights().subspan(t.offset, t.count)) seen.insert(w);
        drawn += t.count;
      }
    }
    EXPECT_GE(seen.size() + 4, drawn);  // of 2^24 values each, a few may meet
  }
  const nn::ParamSlab a = fresh(mlp(4, {4}, 2), 9), b = fresh(mlp(4, {4}, 2), 9);
  EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
}

TEST(Init, OneUnitCanBeDrawnAlone) {
  const nn::ParamSlab slab = fresh(mlp(9, {4}, 3));
  const nn::ParamLayout layout = nn::param_layout(slab.spec());
  std::vector<float> alone(9);
  nn::init_unit(layout.tensors[0], "dense1", 3, 2, {}, alone);
  EXPECT_EQ(alone, unit(slab, "dense1.weight", 2));
}

TEST(Random, PhiloxMatchesItsPublishedVectors) {
  const auto zero = nn::random_block({0}, {0, 0, 0, 0});
  EXPECT_EQ(zero, (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const auto ones = nn::random_block({~0ULL}, {~0U, ~0U, ~0U, ~0U});
  EXPECT_EQ(ones, (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, SymmetricUnitIsExactAndOpen) {
  EXPECT_EQ(nn::symmetric_unit(0), -1.0F + 0x1p-24F);
  EXPECT_EQ(nn::symmetric_unit(~0U), 1.0F - 0x1p-24F);
  EXPECT_EQ(nn::symmetric_unit(0x80000000U), 0x1p-24F);
}

TEST(Random, EpochOrdersArePermutationsOfTheirOwn) {
  std::vector<std::uint32_t> a, b, again;
  nn::epoch_order(5, 0, 1000, a);
  nn::epoch_order(5, 1, 1000, b);
  nn::epoch_order(5, 0, 1000, again);
  EXPECT_EQ(a, again);
  EXPECT_NE(a, b);
  nn::epoch_order(6, 0, 1000, again);
  EXPECT_NE(a, again);
  std::ranges::sort(a);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(a[i], i);
  nn::epoch_order(5, 0, 0, a);
  EXPECT_TRUE(a.empty());
}

}  // namespace
