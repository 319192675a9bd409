#include "nn/model/layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nn/layers/layer.h"
#include "nn/network/arena.h"
#include "nn/training/random.h"
#include "tests/nn/layer_cases.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::n;

TEST(Layout, TensorsFollowEachOtherAligned) {
  const nn::ParamLayout layout = nn::param_layout(nn_test::mlp(7, {5}, 3));
  ASSERT_EQ(layout.tensors.size(), 4U);
  EXPECT_EQ(layout.tensors[0].name, "dense1.weight");
  EXPECT_EQ(layout.tensors[0].dims, (std::vector<std::int32_t>{7, 5}));
  EXPECT_EQ(layout.tensors[0].offset, 0U);
  EXPECT_EQ(layout.tensors[1].offset, 48U);  // 35 rounded up to 16s
  EXPECT_EQ(layout.tensors[2].offset, 64U);
  EXPECT_EQ(layout.tensors[3].offset, 80U);
  EXPECT_EQ(layout.count, 96U);
  EXPECT_EQ(layout.find("output.bias"), &layout.tensors[3]);
  EXPECT_EQ(layout.find("nothing"), nullptr);
}

TEST(Layout, AxesOfEveryRegisteredLayerFitItsTensors) {
  for (const nn::Layer* kind : nn::layers()) {
    for (const auto& example : kind->examples()) {
      const nn::LayerSpec probed = nn::layer(kind->info().kind, "probed", example.fields);
      const nn::ModelSpec spec =
          nn::with_output({example.input, nn_test::with_context(example, probed)}, 3);
      const nn::ParamLayout layout = nn::param_layout(spec);
      const std::vector<nn::Flow> flows = nn::infer_flows(spec);
      std::size_t trained = 0, state = layout.trained;
      for (const auto& tensor : layout.tensors) {
        SCOPED_TRACE(nn::describe(spec) + ": " + tensor.name);
        EXPECT_EQ(tensor.offset % nn::kAlignElements, 0U);
        std::size_t& end = nn::trained(tensor.role) ? trained : state;
        EXPECT_GE(tensor.offset, end);
        end = tensor.offset + tensor.count;
        ASSERT_EQ(tensor.axes.size(), tensor.dims.size());
        for (std::size_t a = 0; a < tensor.axes.size(); ++a) {
          EXPECT_EQ(tensor.axes[a].units * tensor.axes[a].repeat, tensor.dims[a]);
        }
        const auto out = static_cast<std::size_t>(tensor.out_axis);
        // The units that leave the layer: its own, or those that entered it.
        EXPECT_EQ(tensor.axes.at(out).group, flows.at(std::size_t(tensor.layer) + 1).units.group);
      }
      EXPECT_LE(trained, layout.trained);
      EXPECT_LE(state, layout.count);
    }
  }
}

TEST(Layout, GroupsKnowEveryAxisTheyRunAlong) {
  const nn::ModelSpec spec = nn_test::lenet(6, 8, 20);
  const nn::ParamLayout layout = nn::param_layout(spec);
  std::string text;
  for (const auto& group : nn::unit_groups(spec)) {
    text += group.name + " " + std::to_string(group.units) + ":";
    for (const auto& axis : group.axes) {
      text += " " + layout.tensors[std::size_t(axis.tensor)].name + "@" +
              std::to_string(axis.axis) +
              (axis.repeat > 1 ? "x" + std::to_string(axis.repeat) : "");
    }
    text += "\n";
  }
  EXPECT_EQ(text,
            "input 1: c1.weight@3\n"
            "c1 6: c1.weight@0 c1.bias@0 c2.weight@3\n"
            "c2 8: c2.weight@0 c2.bias@0 fc.weight@0x16\n"
            "fc 20: fc.weight@1 fc.bias@0 output.weight@0\n"
            "output 10: output.weight@1 output.bias@0\n");
}

std::string groups_text(const nn::ModelSpec& spec) {
  std::string text;
  for (const auto& group : nn::unit_groups(spec)) {
    text += group.name + " " + std::to_string(group.units) + (group.fixed ? " fixed:" : ":");
    for (const auto& layer : group.layers) text += " " + layer;
    text += "\n";
  }
  return text;
}

TEST(Layout, AResidualBlockTiesTheUnitsThatItAdds) {
  EXPECT_EQ(groups_text(nn_test::residual(4, 5, 3)),
            "input 4 fixed:\n"
            "stem 5: stem fc2\n"
            "fc1 10: fc1\n"
            "output 3: output\n");
  const nn::LayerSpec begin{"residual_begin", "", {}}, end{"residual_end", "", {}};
  const auto dense = [](const char* name, std::int64_t units) {
    return nn::LayerSpec{"dense", name, {{"units", units}}};
  };
  EXPECT_EQ(groups_text(nn::with_output(
                {nn::Shape::features(6),
                 {begin, dense("a", 6), end, dense("b", 6), dense("c", 4), begin, dense("d", 8),
                  begin, dense("e", 8), end, dense("f", 4), end, begin, dense("g", 4), end}},
                2)),
            "input 6 fixed: a\n"
            "b 6: b\n"
            "c 4: c f g\n"
            "d 8: d e\n"
            "output 2: output\n");
  EXPECT_EQ(groups_text(nn::with_output({nn::Shape::image(3, 3, 1),
                                         {{"conv2d", "c", {{"units", n(2)}, {"padding", "same"}}},
                                          {"flatten", "", {}},
                                          begin,
                                          dense("fc", 18),
                                          end}},
                                        3)),
            "input 1 fixed:\n"
            "c 2 fixed: c fc\n"
            "output 3: output\n");
}

TEST(Arena, BuffersAliveTogetherNeverOverlap) {
  const nn::RandomKey key{11};
  for (std::uint32_t round = 0; round < 200; ++round) {
    std::vector<nn::Lifetime> buffers;
    std::size_t sum = 0;
    for (std::uint32_t i = 0; i < 3 + round % 12; ++i) {
      const auto r = nn::random_block(key, {round, i, 0, 0});
      const int first = static_cast<int>(r[0] % 20);
      buffers.push_back({r[1] % 1000, first, first + static_cast<int>(r[2] % 8)});
      sum += (buffers.back().bytes + 63) / 64 * 64;
    }
    const std::size_t total = nn::place_buffers(buffers);
    EXPECT_LE(total, sum);
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(buffers[a].offset % 64, 0U);
      EXPECT_LE(buffers[a].offset + buffers[a].bytes, total);
      for (std::size_t b = 0; b < a; ++b) {
        const bool together =
            buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
        const bool overlap = buffers[a].offset < buffers[b].offset + buffers[b].bytes &&
                             buffers[b].offset < buffers[a].offset + buffers[a].bytes;
        EXPECT_FALSE(together && overlap);
      }
    }
  }
}

TEST(Arena, ReusesMemoryOfTheDead) {
  std::vector<nn::Lifetime> buffers{{640, 0, 1}, {640, 2, 3}, {320, 1, 2}};
  EXPECT_EQ(nn::place_buffers(buffers), 960U);
}

}  // namespace
