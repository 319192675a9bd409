#include "nn/model/spec.h"

#include <gtest/gtest.h>

#include <functional>

#include "nn/layers/conv2d.h"
#include "nn/model/layout.h"
#include "tests/nn/nets.h"

namespace {

using nn::Shape;
using nn_test::n;

std::string error_of(const std::function<void()>& call, int layer, const std::string& field) {
  try {
    call();
  } catch (const nn::SpecError& e) {
    EXPECT_EQ(e.layer(), layer) << e.what();
    EXPECT_EQ(e.field(), field) << e.what();
    return e.what();
  }
  return "no error";
}

std::string shapes_text(const nn::ModelSpec& spec) {
  std::string out;
  for (const auto& shape : nn::infer_shapes(spec)) out += shape.text() + " ";
  return out;
}

nn::ModelSpec on_image(Shape image, std::vector<nn::LayerSpec> layers) {
  return nn::complete({image, std::move(layers)});
}

TEST(Spec, ShapesOfALenet) {
  const nn::ModelSpec spec = nn_test::lenet(32, 64, 512);
  EXPECT_EQ(shapes_text(spec), "24x24x32 12x12x32 8x8x64 4x4x64 1024 512 10 ");
  EXPECT_EQ(nn::output_shape(spec), Shape::features(10));
}

TEST(Spec, PaddingAndStride) {
  const auto conv = [](nn::Fields fields) {
    fields["units"] = n(2);
    return shapes_text(on_image(Shape::image(7, 6, 1), {{"conv2d", "", fields}}));
  };
  EXPECT_EQ(conv({}), "5x4x2 ");
  EXPECT_EQ(conv({{"padding", "same"}}), "7x6x2 ");
  EXPECT_EQ(conv({{"padding", "same"}, {"stride", n(2)}}), "4x3x2 ");
  EXPECT_EQ(conv({{"padding", n(1)}, {"stride", n(2)}}), "4x3x2 ");
  EXPECT_EQ(conv({{"kernel", n(2)}, {"padding", "same"}}), "7x6x2 ");
  EXPECT_EQ(shapes_text(on_image(Shape::image(7, 6, 3), {{"max_pool", "", {}}})), "3x3x3 ");
  EXPECT_EQ(shapes_text(on_image(Shape::image(7, 6, 3),
                                 {{"max_pool", "", {{"kernel", n(3)}, {"stride", n(2)}}}})),
            "3x2x3 ");
}

TEST(Spec, SamePaddingPutsTheOddZerosAtTheEnd) {
  const auto leading = [](std::int64_t kernel, std::int64_t stride) {
    const nn::LayerSpec layer = nn::layer(
        "conv2d", "c",
        {{"units", n(1)}, {"kernel", n(kernel)}, {"stride", n(stride)}, {"padding", "same"}});
    return nn::Conv2d::from(layer.fields, Shape::image(6, 6, 1)).window.pad_h;
  };
  EXPECT_EQ(leading(2, 1), 0);
  EXPECT_EQ(leading(3, 1), 1);
  EXPECT_EQ(leading(4, 1), 1);
  EXPECT_EQ(leading(3, 2), 0);  // 3 positions reach over 7: one row of zeros, the last
}

TEST(Spec, WithOutputFlattensImages) {
  const nn::ModelSpec spec =
      nn::with_output({Shape::image(8, 8, 1), {{"conv2d", "c", {{"units", n(4)}}}}}, 3);
  EXPECT_EQ(nn::describe(spec),
            "8x8x1 -> conv2d c 4 3 1 valid relu -> flatten output_flatten -> dense output 3 none");
}

TEST(Spec, NamelessLayersAreCountedByKind) {
  const nn::ModelSpec spec = on_image(Shape::image(8, 8, 1), {{"conv2d", "", {{"units", n(4)}}},
                                                              {"flatten", "", {}},
                                                              {"dense", "", {{"units", n(4)}}},
                                                              {"dense", "", {{"units", n(2)}}}});
  std::string names;
  for (const auto& layer : spec.layers) names += layer.name + " ";
  EXPECT_EQ(names, "conv2d1 flatten1 dense1 dense2 ");
  EXPECT_EQ(nn::complete(spec), spec);
}

TEST(Spec, ErrorsNameLayerFieldAndCure) {
  const nn::LayerSpec dense{"dense", "fc", {{"units", n(4)}}};
  const auto complete = [](Shape input, std::vector<nn::LayerSpec> layers) {
    return [=] { (void)nn::complete({input, layers}); };
  };
  EXPECT_EQ(error_of(complete(Shape::image(8, 8, 1), {dense}), 0, ""),
            "layer 1 \"fc\" (dense): dense needs features, not an image of 8x8x1; put a flatten "
            "layer before it");
  EXPECT_EQ(
      error_of(complete(Shape::features(8), {dense, {"conv2d", "", {{"units", n(1)}}}}), 1, ""),
      "layer 2 \"conv2d1\" (conv2d): conv2d needs an image as its input, but rows of a "
      "table are not images, and a dense or flatten layer turns an image into a vector");
  EXPECT_EQ(error_of(complete(Shape::image(4, 4, 1),
                              {{"conv2d", "c", {{"units", n(1)}, {"kernel", n(5)}}}}),
                     0, "kernel"),
            "layer 1 \"c\" (conv2d): a kernel of 5 does not fit an image of 4x4x1; use a smaller "
            "kernel or padding: same");
  EXPECT_EQ(error_of(complete(Shape::image(9, 9, 1),
                              {{"conv2d", "c", {{"units", n(1)}, {"dilation", n(5)}}}}),
                     0, "kernel"),
            "layer 1 \"c\" (conv2d): a kernel of 3 with dilation 5, so of 11 pixels, does not fit "
            "an image "
            "of 9x9x1; use a smaller kernel or padding: same");
  EXPECT_EQ(error_of(complete(Shape::image(4, 4, 3),
                              {{"conv2d", "c", {{"units", n(4)}, {"groups", n(2)}}}}),
                     0, "groups"),
            "layer 1 \"c\" (conv2d): groups must divide the units (4) and the channels that enter "
            "(3), not be 2");
  EXPECT_EQ(
      error_of(complete(Shape::features(8), {{"dense", "fc", {{"units", n(0)}}}}), 0, "units"),
      "layer 1 \"fc\" (dense): units must be an integer at least 1 and at most 1000000, not "
      "0");
  EXPECT_EQ(error_of(complete(Shape::features(8), {dense, dense}), 1, "name"),
            "layer 2: the name \"fc\" is already used by layer 1; layer names must be unique");
  EXPECT_EQ(
      error_of(complete(Shape::features(8), {{"dense", "a.b", {{"units", n(1)}}}}), 0, "name"),
      "layer 1: name \"a.b\" may hold only letters, digits, _ and -");
  EXPECT_EQ(error_of(complete(Shape::features(8), {{"dens", "", {}}}), 0, ""),
            "layer 1: unknown layer dens; did you mean dense?");
  EXPECT_EQ(error_of(complete(Shape{}, {dense}), -1, ""),
            "input: expected a number of features or height, width and channels, not \"\"");
}

TEST(Spec, ResidualBlocksAreNamedDescribedAndChecked) {
  const nn::ModelSpec spec = nn_test::residual(4, 5, 3);
  EXPECT_EQ(spec.layers[4].name, "block_end");
  EXPECT_EQ(nn::describe(spec),
            "4 -> dense stem 5 relu -> block [dense fc1 10 relu -> dense fc2 5 none] + input relu "
            "-> dense output 3 none");
  const nn::LayerSpec begin{"residual_begin", "", {}}, end{"residual_end", "", {}};
  const nn::LayerSpec dense{"dense", "fc", {{"units", n(4)}}};
  const auto complete = [](std::vector<nn::LayerSpec> layers) {
    return [=] { (void)nn::complete({nn::Shape::features(8), layers}); };
  };
  const nn::ModelSpec nested = nn::complete({nn::Shape::features(8), {begin, begin, end, end}});
  std::string names;
  for (const auto& layer : nested.layers) names += layer.name + " ";
  EXPECT_EQ(names, "residual1 residual2 residual2_end residual1_end ");
  EXPECT_EQ(error_of(complete({begin, dense, end}), 2, ""),
            "layer 3 \"residual1_end\" (residual_end): what leaves the block is 4, what enters it "
            "8; only equal shapes can be added");
  EXPECT_EQ(error_of(complete({dense, end}), 1, ""),
            "layer 2 \"residual_end1\" (residual_end): closes a block that nothing opened; put a "
            "residual_begin before it");
  EXPECT_EQ(error_of(complete({dense, begin, dense}), 2, "name"),
            "layer 3: the name \"fc\" is already used by layer 1; layer names must be unique");
  EXPECT_EQ(error_of(complete({dense, begin}), 1, ""),
            "layer 2 \"residual1\" (residual_begin): its block is not closed; put a residual_end "
            "after it");
}

TEST(Spec, TooLargeIsAnErrorAndNeverAnOverflow) {
  nn::ModelSpec spec{Shape::image(30000, 30000, 1), {{"conv2d", "", {{"units", n(60000)}}}}};
  EXPECT_EQ(error_of([&] { (void)nn::complete(spec); }, 0, ""),
            "layer 1 \"conv2d1\" (conv2d): its output of 29998x29998x60000 is too large");
  EXPECT_THROW((void)nn_test::mlp(1, {1000000, 1000000}, 2), nn::SpecError);
}

TEST(Spec, CountsFlopsByTheRule) {
  const auto mlp = nn::flops_per_row(nn_test::mlp(784, {32, 32}, 10));
  EXPECT_EQ(mlp.forward, 2U * (784 * 32 + 32 * 32 + 32 * 10));
  EXPECT_EQ(mlp.training, 3 * mlp.forward - 2U * 784 * 32);

  const auto lenet = nn::flops_per_row(nn_test::lenet(16, 32, 128));
  const std::uint64_t c1 = 2ULL * 24 * 24 * 16 * 25, c2 = 2ULL * 8 * 8 * 32 * 25 * 16;
  EXPECT_EQ(lenet.forward, c1 + c2 + 2 * (512 * 128 + 128 * 10));
  EXPECT_EQ(lenet.training, 3 * lenet.forward - c1);
}

TEST(Spec, CountsWeights) {
  EXPECT_EQ(nn::weight_count(nn_test::mlp(7, {5}, 3)), 7U * 5 + 5 + 5 * 3 + 3);
  EXPECT_EQ(nn::weight_count(nn_test::lenet(6, 16, 20)),
            25U * 6 + 6 + 25 * 6 * 16 + 16 + 256 * 20 + 20 + 200 + 10);
}

}  // namespace
