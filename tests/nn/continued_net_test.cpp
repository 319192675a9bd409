// A network that goes on: what it knew it still answers.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/cpu/cpu.h"
#include "nn/model/init.h"
#include "nn/reshape/continued_net.h"
#include "nn/training/batches.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::mlp;

nn::ParamSlab drawn(const nn::ModelSpec& spec, const nn::Choice& optimizer = {"sgd", {}}) {
  nn::ParamSlab net(nn::slab_header(spec, optimizer));
  nn::init_weights(net, 5);
  for (const nn::ParamTensor& tensor : nn::param_layout(net.spec()).tensors) {
    if (tensor.role != nn::ParamRole::bias) continue;
    for (std::size_t i = 0; i < tensor.count; ++i)
      net.weights()[tensor.offset + i] = 0.01F * static_cast<float>(i + 1);
  }
  return net;
}

nn::ParamSlab going_on(const nn::ParamSlab& net, const nn::Shape& input, std::int64_t outputs,
                       const nn::Continuation& how = {}) {
  const nn::ModelSpec spec = nn::continued_spec(net.spec(), input, outputs);
  return nn::continued(kern::cpu_kernels(), net,
                       nn::continued_header(net.header(), spec, {"sgd", {}}, how.keeps_optimizer),
                       how, 9);
}

std::vector<std::vector<float>> answers(const kern::Kernels<float>& kernels,
                                        const nn::ParamSlab& net, const nn::DataView& data) {
  const auto width = static_cast<std::size_t>(nn::output_shape(net.spec()).elements());
  std::vector<float> all(data.rows.size() * width);
  nn::Workspace workspace;
  nn::predict(kernels, workspace, net, data, all);
  std::vector<std::vector<float>> rows;
  for (std::size_t r = 0; r < data.rows.size(); ++r)
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(r * width),
                      all.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
  return rows;
}

TEST(ContinuedNet, OldClassesKeepTheirOutputsToTheLastBit) {
  kern::prepare_thread();
  for (const kern::cpu::Isa isa :
       {kern::cpu::Isa::plain, kern::cpu::Isa::avx2, kern::cpu::Isa::avx512}) {
    if (isa > kern::cpu::best_isa()) continue;
    const kern::Kernels<float>& kernels = kern::cpu::table(isa);
    std::vector<nn::ModelSpec> specs{nn_test::lenet(4, 9, 30), nn_test::normed(20, 24, 3),
                                     nn_test::residual(12, 17, 2), nn_test::assorted(6, 4)};
    for (const std::int64_t outputs : {2, 3, 4, 5, 6, 7, 9, 16, 30, 99})
      for (const std::int64_t width : {1, 9, 32, 200, 256, 512, 1024})
        specs.push_back(mlp(13, {width}, outputs));
    for (const nn::ModelSpec& spec : specs) {
      SCOPED_TRACE(std::string(kern::cpu::isa_name(isa)) + " " + nn::describe(nn::complete(spec)));
      const nn::ParamSlab net = drawn(spec);
      nn_test::Table table(150, static_cast<std::int32_t>(spec.input.elements()), 2);
      table.shape = spec.input;
      const auto before = answers(kernels, net, table.view());
      for (const std::int64_t more : {1, 3}) {
        const auto outputs = static_cast<std::int64_t>(before.front().size());
        const auto after =
            answers(kernels, going_on(net, spec.input, outputs + more), table.view());
        ASSERT_EQ(after.front().size(), before.front().size() + static_cast<std::size_t>(more));
        for (std::size_t r = 0; r < before.size(); ++r) {
          for (std::size_t i = 0; i < before[r].size(); ++i)
            ASSERT_NEAR(after[r][i], before[r][i], 1e-4F * (1 + std::abs(before[r][i])));
          if (outputs >= nn::kOutputsThatKeepBits) {
            ASSERT_TRUE(std::equal(before[r].begin(), before[r].end(), after[r].begin())) << r;
          }
        }
      }
    }
  }
}

TEST(ContinuedNet, NewOutputsAreDrawnByTheirUnit) {
  const nn::ParamSlab net = drawn(mlp(3, {8}, 2));
  const nn::ParamSlab three = going_on(net, net.spec().input, 3);
  const nn::ParamSlab five = going_on(net, net.spec().input, 5);
  const nn::ParamLayout layout3 = nn::param_layout(three.spec()),
                        layout5 = nn::param_layout(five.spec());
  const nn::ParamTensor &w3 = *layout3.find("output.weight"), &w5 = *layout5.find("output.weight");
  for (std::size_t unit = 0; unit < 8; ++unit) {
    const float a = three.weights()[w3.offset + unit * 3 + 2];
    const float b = five.weights()[w5.offset + unit * 5 + 2];
    EXPECT_NE(a, 0);
    EXPECT_GT(a * b, 0);  // the same draw, by another fan-out
  }
}

TEST(ContinuedNet, NewInputsChangeNothingUntilTheyAreTrained) {
  for (const nn::ModelSpec& spec : {mlp(3, {8, 5}, 2), mlp(3, {}, 4), nn_test::residual(3, 6, 2)}) {
    const nn::ParamSlab net = drawn(spec);
    const nn::ParamSlab wider =
        going_on(net, nn::Shape::features(5), nn::output_shape(net.spec()).elements(),
                 {.inputs = {2, -1, 0, 1, -1}, .factor = {}, .shift = {}});
    nn_test::Table old(40, 3, 2), fresh(40, 5, 2);
    for (std::size_t r = 0; r < 40; ++r) {
      const float* x = old.x.data() + 3 * r;
      const std::vector<float> row{x[2], 7.5F, x[0], x[1], -3.25F};
      std::ranges::copy(row, fresh.x.begin() + static_cast<std::ptrdiff_t>(5 * r));
    }
    const auto before = answers(kern::ref_kernels<float>(), net, old.view());
    const auto after = answers(kern::ref_kernels<float>(), wider, fresh.view());
    for (std::size_t r = 0; r < before.size(); ++r)
      for (std::size_t i = 0; i < before[r].size(); ++i)
        EXPECT_NEAR(after[r][i], before[r][i], 1e-5F);
  }
}

TEST(ContinuedNet, NewInputsOfANormalisationAreAsAtBirth) {
  nn::ModelSpec spec{.input = nn::Shape::features(2), .layers = {{"batch_norm", "bn", {}}}};
  const nn::ParamSlab net = drawn(nn::with_output(spec, 2));
  const nn::ParamSlab wider =
      going_on(net, nn::Shape::features(3), 2, {.inputs = {0, 1, -1}, .factor = {}, .shift = {}});
  const nn::ParamLayout layout = nn::param_layout(wider.spec());
  EXPECT_EQ(wider.weights()[layout.find("bn.scale")->offset + 2], 1);
  EXPECT_EQ(wider.weights()[layout.find("bn.variance")->offset + 2], 1);
  EXPECT_EQ(wider.weights()[layout.find("bn.mean")->offset + 2], 0);
}

TEST(ContinuedNet, NumbersMeanTheSameInAnotherUnit) {
  const nn::ParamSlab net = drawn(mlp(3, {8}, 2));
  // Before: 10 * y + 100 and y; now: 2 * y + 90 and 4 * y - 1.
  const nn::ParamSlab other =
      going_on(net, net.spec().input, 2, {.inputs = {}, .factor = {5, 0.25}, .shift = {5, 0.25}});
  nn_test::Table table(40, 3, 2);
  const auto before = answers(kern::ref_kernels<float>(), net, table.view());
  const auto after = answers(kern::ref_kernels<float>(), other, table.view());
  for (std::size_t r = 0; r < before.size(); ++r) {
    EXPECT_NEAR(2 * after[r][0] + 90, 10 * before[r][0] + 100, 1e-3);
    EXPECT_NEAR(4 * after[r][1] - 1, before[r][1], 1e-4);
  }
}

TEST(ContinuedNet, TheOptimizersStateGoesOnWhereThatIsAskedFor) {
  const nn::Choice adam{"adam", {}};
  nn::ParamSlab net = drawn(mlp(3, {4}, 2), adam);
  std::iota(net.slot(0).begin(), net.slot(0).end(), 1.0F);
  net.state() = {.steps = 40, .rows = 640};
  const nn::ModelSpec spec = nn::continued_spec(net.spec(), net.spec().input, 3);
  const nn::ParamSlab kept =
      nn::continued(kern::cpu_kernels(), net, nn::continued_header(net.header(), spec, adam, true),
                    {.inputs = {}, .factor = {}, .shift = {}, .keeps_optimizer = true}, 1);
  EXPECT_EQ(kept.state().steps, 40);
  const nn::ParamLayout layout = nn::param_layout(kept.spec()),
                        before = nn::param_layout(net.spec());
  const nn::ParamTensor &now = *layout.find("output.weight"), &was = *before.find("output.weight");
  for (std::size_t unit = 0; unit < 4; ++unit) {
    EXPECT_EQ(kept.slot(0)[now.offset + 3 * unit + 1], net.slot(0)[was.offset + 2 * unit + 1]);
    EXPECT_EQ(kept.slot(0)[now.offset + 3 * unit + 2], 0);
  }
  // The new output's steps are counted from here on.
  ASSERT_TRUE(kept.header().reshaped);
  const nn::UnitState units = kept.units();
  EXPECT_EQ(units.group("output")->ids, (std::vector<std::int64_t>{0, 1, 2}));
  const auto births =
      std::ranges::find_if(units.axes, [&](const auto& axis) { return axis.births.size() == 3; });
  ASSERT_NE(births, units.axes.end());
  EXPECT_EQ(births->births, (std::vector<std::int64_t>{0, 0, 40}));

  const nn::ParamSlab anew = nn::continued(
      kern::cpu_kernels(), net, nn::continued_header(net.header(), spec, adam, false), {}, 1);
  EXPECT_EQ(anew.state().steps, 0);
  EXPECT_FALSE(anew.header().reshaped);
  EXPECT_TRUE(std::ranges::all_of(anew.slot(0), [](float x) { return x == 0; }));
  EXPECT_THROW(
      (void)nn::continued(kern::cpu_kernels(), net,
                          nn::continued_header(net.header(), spec, {"rmsprop", {}}, true),
                          {.inputs = {}, .factor = {}, .shift = {}, .keeps_optimizer = true}, 1),
      base::Error);
}

TEST(ContinuedNet, FewerOutputsAreRefused) {
  EXPECT_THROW((void)nn::continued_spec(nn::complete(mlp(3, {4}, 3)), nn::Shape::features(3), 2),
               base::Error);
}

// ---- replay --------------------------------------------------------------------------------

std::vector<std::uint32_t> epoch_of(const nn::DataView& data, std::int64_t epoch) {
  nn::EpochRows rows;
  nn::Batches batches(data, 4, 3, rows);
  std::vector<std::uint32_t> all;
  const std::int64_t steps = batches.per_epoch();
  for (std::int64_t step = epoch * steps; step < (epoch + 1) * steps; ++step) {
    const auto some = batches.of(step);
    EXPECT_LE(some.size(), 4U);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(Replay, EverySecondRowIsAnOldOneAndEachComesInTurn) {
  const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4, 10, 11, 12, 10, 11}, old{10, 11, 12};
  nn::DataView data;
  data.rows = rows;
  data.replayed = old;
  std::vector<std::uint32_t> replayed;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
    const auto all = epoch_of(data, epoch);
    ASSERT_EQ(all.size(), 10U);
    std::vector<std::uint32_t> fresh;
    for (std::size_t i = 0; i < all.size(); ++i) (i % 2 == 0 ? fresh : replayed).push_back(all[i]);
    std::ranges::sort(fresh);
    EXPECT_EQ(fresh, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  }
  // 30 old rows are ten passes through three.
  for (std::size_t pass = 0; pass < 10; ++pass) {
    auto begin = replayed.begin() + static_cast<std::ptrdiff_t>(3 * pass);
    std::sort(begin, begin + 3);
    EXPECT_TRUE(std::equal(begin, begin + 3, old.begin())) << pass;
  }
}

TEST(Replay, AnEpochAloneHasTheRowsThatItHasBehindOthers) {
  std::vector<std::uint32_t> rows(40), old(17);
  std::iota(rows.begin(), rows.begin() + 20, 0);
  std::iota(old.begin(), old.end(), 100);
  for (std::size_t i = 0; i < 20; ++i) rows[20 + i] = old[i % old.size()];
  nn::DataView data;
  data.rows = rows;
  data.replayed = old;
  nn::EpochRows kept;
  nn::Batches batches(data, 8, 3, kept);
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    std::vector<std::uint32_t> all;
    for (std::int64_t step = 5 * epoch; step < 5 * (epoch + 1); ++step) {
      const auto some = batches.of(step);
      all.insert(all.end(), some.begin(), some.end());
    }
    nn::EpochRows fresh;
    nn::Batches others(data, 4, 3, fresh);
    std::vector<std::uint32_t> same;
    for (std::int64_t step = 10 * epoch; step < 10 * (epoch + 1); ++step) {
      const auto some = others.of(step);
      same.insert(same.end(), some.begin(), some.end());
    }
    EXPECT_EQ(all, same);
  }
}

}  // namespace
