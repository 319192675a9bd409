// ONNX files: every kind of layer of the registry has a translation, with every activation; what
// has none is refused by name. tests/cli/onnx.py runs the files.

#include <gtest/gtest.h>

#include "nn/data/preprocessing.h"
#include "nn/init.h"
#include "nn/onnx/export.h"
#include "nn/onnx/layers.h"
#include "nn/spec.h"

namespace {

nn::Dataset data_of(const nn::Shape& input) {
  nn::Dataset::Header header;
  header.input = input;
  header.cols = static_cast<std::uint64_t>(input.elements());
  header.class_names = {"a", "b", "c"};
  return nn::Dataset(header);
}

std::string exported(const nn::ModelSpec& spec) {
  nn::ParamSlab net(nn::slab_header(spec, {"sgd", {}}));
  nn::init_weights(net, 1);
  const nn::TrainedModel model{std::move(net), data_of(spec.input), {"cross_entropy", {}}};
  return nn::onnx::model_file(model, {{"study", "s"}});
}

TEST(Onnx, EveryLayerHasATranslation) {
  for (const nn::Layer* kind : nn::layers()) {
    for (const nn::LayerExample& example : kind->examples()) {
      nn::ModelSpec spec{.input = example.input, .layers = example.before};
      spec.layers.push_back(nn::layer(kind->info().kind, "tried", example.fields));
      spec.layers.insert(spec.layers.end(), example.after.begin(), example.after.end());
      const std::string file = exported(nn::with_output(nn::complete(spec), 3));
      EXPECT_NE(file.find("probabilities"), std::string::npos) << kind->info().kind;
      EXPECT_NE(file.find("preprocessing"), std::string::npos);
    }
  }
}

TEST(Onnx, OneLogitAnswersForTwoClasses) {
  const nn::ModelSpec spec = nn::with_output({nn::Shape::features(4), {}}, 1);
  nn::ParamSlab net(nn::slab_header(spec, {"sgd", {}}));
  nn::Dataset::Header header;
  header.input = spec.input;
  header.cols = 4;
  header.class_names = {"a", "b"};
  const nn::TrainedModel model{std::move(net), nn::Dataset(header), {"bce", {}}};
  const std::string file = nn::onnx::model_file(model, {});
  EXPECT_NE(file.find("Concat"), std::string::npos);
  EXPECT_EQ(exported(nn::with_output({nn::Shape::features(4), {}}, 3)).find("Concat"),
            std::string::npos);
}

TEST(Onnx, EveryActivationHasATranslation) {
  for (const std::string& word : nn::activation_field().choices) {
    nn::ModelSpec spec{.input = nn::Shape::features(4)};
    spec.layers.push_back(
        nn::layer("dense", "fc1", {{"units", std::int64_t{3}}, {"activation", word}}));
    EXPECT_NO_THROW((void)exported(nn::with_output(spec, 3))) << word;
  }
}

TEST(Onnx, WhatHasNoneIsRefusedByName) {
  nn::onnx::Graph graph;
  const nn::ParamSlab net(nn::slab_header({.input = nn::Shape::features(2)}, {"sgd", {}}));
  const nn::ParamLayout layout = nn::param_layout(net.spec());
  nn::onnx::Translation translation{.graph = graph, .net = net, .layout = layout, .x = "input"};
  const nn::Flow flow{.shape = nn::Shape::features(2), .units = {}};
  try {
    nn::onnx::add_layer(translation, {.kind = "attention", .name = "a1", .fields = {}}, flow, flow);
    FAIL();
  } catch (const nn::Error& error) {
    EXPECT_STREQ(error.what(), "onnx: the layer a1 of kind attention has no translation");
  }
}

}  // namespace
