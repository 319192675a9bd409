// What the axis roles promise: the order of a layer's units is nobody's business. Reordering the
// units of a group along all its axes must leave what the network computes unchanged, for every
// registered layer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/data/block.h"
#include "nn/network/network.h"
#include "nn/training/random.h"
#include "tests/nn/layer_cases.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::n;

std::vector<double> outputs(const nn::ModelSpec& spec, const std::vector<double>& weights) {
  const nn::Network<double> network(spec, kern::ref_kernels<double>(), 2, nn::Use::inference);
  nn::Block memory(network.arena_bytes());
  std::byte* arena = memory.bytes().data();
  for (int i = 0; i < 2 * spec.input.elements(); ++i) {
    network.input(arena)[i] = std::sin(1.7 * i);
  }
  const double* out = network.forward(arena, weights.data(), 2);
  return {out, out + 2 * network.outputs()};
}

/// `weights` with unit u of the group moved to place units - 1 - u, along one axis of one tensor.
void reverse_axis(const nn::ParamTensor& tensor, std::size_t axis, std::vector<double>& weights) {
  const nn::AxisRole& role = tensor.axes[axis];
  const auto length = static_cast<std::size_t>(tensor.dims[axis]);
  const auto units = static_cast<std::size_t>(role.units);
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < tensor.dims.size(); ++a) inner *= std::size_t(tensor.dims[a]);
  const std::vector<double> old(weights.begin() + std::ptrdiff_t(tensor.offset),
                                weights.begin() + std::ptrdiff_t(tensor.offset + tensor.count));
  for (std::size_t i = 0; i < tensor.count; ++i) {
    const std::size_t along = i / inner % length;
    const std::size_t moved = along / units * units + (units - 1 - along % units);
    weights[tensor.offset + i + moved * inner - along * inner] = old[i];
  }
}

/// Whether a convolution that cuts its channels into groups reads or makes the units: then each has
/// its place, and no operation may move it (Layer::holds_units).
bool lies_in_groups(const nn::ModelSpec& spec, const std::string& group) {
  const auto flows = nn::infer_flows(spec);
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const auto groups = spec.layers[i].fields.find("groups");
    if (groups == spec.layers[i].fields.end() || groups->second == nn::FieldValue(n(1))) continue;
    if (flows[i].units.group == group || flows[i + 1].units.group == group) return true;
  }
  return false;
}

void check(const nn::ModelSpec& spec) {
  SCOPED_TRACE(nn::describe(spec));
  const nn::ParamLayout layout = nn::param_layout(spec);
  std::vector<double> weights(layout.count);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = double{nn::symmetric_unit(nn::random_block({2}, {std::uint32_t(i), 0, 0, 0})[0])};
  }
  for (const nn::ParamTensor& tensor : layout.tensors) {
    if (tensor.role != nn::ParamRole::variance) continue;
    for (std::size_t i = 0; i < tensor.count; ++i) {
      weights[tensor.offset + i] = std::abs(weights[tensor.offset + i]);
    }
  }
  const std::vector<double> before = outputs(spec, weights);
  for (const nn::UnitGroup& group : nn::unit_groups(spec)) {
    if (group.name == "input" || group.name == "output") continue;
    if (lies_in_groups(spec, group.name)) continue;
    std::vector<double> reordered = weights;
    for (const nn::GroupAxis& axis : group.axes) {
      reverse_axis(layout.tensors[std::size_t(axis.tensor)], std::size_t(axis.axis), reordered);
    }
    EXPECT_TRUE(group.units == 1 || reordered != weights) << group.name;
    const std::vector<double> after = outputs(spec, reordered);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_NEAR(after[i], before[i], 1e-12 * std::max(1.0, std::abs(before[i]))) << group.name;
    }
  }
}

TEST(Units, TheirOrderMeansNothingInEveryRegisteredLayer) {
  for (const nn::Layer* kind : nn::layers()) {
    for (const auto& example : kind->examples()) {
      const nn::LayerSpec layer = nn::layer(kind->info().kind, "probed", example.fields);
      const nn::LayerSpec before =
          example.input.is_image()
              ? nn::layer("conv2d", "before",
                          {{"units", n(example.input.channels())}, {"kernel", n(1)}})
              : nn::layer("dense", "before", {{"units", n(example.input.elements())}});
      std::vector<nn::LayerSpec> layers = nn_test::with_context(example, layer);
      layers.insert(layers.begin(), before);
      check(nn::with_output({example.input, layers}, 3));
    }
  }
}

TEST(Units, TheirOrderMeansNothingInResidualBlocks) {
  check(nn_test::residual(4, 5, 3));
  // A dense layer of 18 added to a flattened image of 2 channels: 2 units, 9 positions each.
  check(nn::with_output({nn::Shape::image(3, 3, 1),
                         {{"conv2d", "c", {{"units", n(2)}, {"padding", "same"}}},
                          {"flatten", "", {}},
                          {"residual_begin", "", {}},
                          {"dense", "fc", {{"units", n(18)}}},
                          {"residual_end", "", {}}}},
                        3));
}

TEST(Units, TheirOrderMeansNothingInOneOfEverything) { check(nn_test::assorted(4, 3)); }

TEST(Units, TheirOrderMeansNothingInALenet) { check(nn_test::lenet(3, 4, 5)); }

}  // namespace
