// ONNX files: every kind of layer of the registry has a translation, with every activation; what
// has none is refused by name. tests/cli/onnx.py runs the files.

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "nn/data/preprocessing.h"
#include "nn/layers/layer.h"
#include "nn/model/init.h"
#include "nn/model/spec.h"
#include "nn/onnx/export.h"
#include "nn/onnx/layers.h"

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

/// The fields of a protobuf message that are lengths and bytes: {number, bytes}.
std::vector<std::pair<int, std::string>> messages_in(const std::string& text) {
  std::vector<std::pair<int, std::string>> out;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.at(at++));
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
  };
  while (at < text.size()) {
    const std::uint64_t tag = varint();
    const std::uint64_t kind = tag & 7;
    const std::size_t size = kind == 2 ? varint() : kind == 5 ? 4 : 0;
    if (kind == 0) varint();
    out.emplace_back(static_cast<int>(tag >> 3), text.substr(at, size));
    at += size;
  }
  return out;
}

/// Names of inputs, constants and results of the graph in a file, each as often as it is given.
std::vector<std::string> values_of(const std::string& file) {
  constexpr int kGraph = 7, kNode = 1, kConstant = 5, kInput = 11;
  std::vector<std::string> names;
  for (const auto& [field, graph] : messages_in(file)) {
    if (field != kGraph) continue;
    for (const auto& [part, message] : messages_in(graph)) {
      const int name = part == kNode ? 2 : part == kConstant ? 8 : part == kInput ? 1 : -1;
      for (const auto& [inner, text] : messages_in(message)) {
        if (inner == name) names.push_back(text);
      }
    }
  }
  return names;
}

TEST(Onnx, LayersMayBeCalledWhatTheGraphCallsItsOwn) {
  for (const char* name : {"scaling", "logits", "prediction", "class", "calibrated", "decided",
                           "probabilities", "target"}) {
    nn::ModelSpec spec{.input = nn::Shape::features(4)};
    spec.layers.push_back(nn::layer("dense", name, {{"units", std::int64_t{3}}}));
    spec.layers.push_back(nn::layer("layer_norm", "scaling_shift", {}));
    const auto names = values_of(exported(nn::with_output(nn::complete(spec), 3)));
    EXPECT_GT(names.size(), 12U);
    const std::set<std::string> distinct(names.begin(), names.end());
    EXPECT_EQ(distinct.size(), names.size()) << name;
    EXPECT_TRUE(distinct.contains(std::string(name) + ".weight")) << name;
  }
}

TEST(Onnx, SaysWhatThirtyTwoBitsDoToATarget) {
  nn::Dataset::Header header;
  header.input = nn::Shape::features(4);
  header.cols = 4;
  header.task = nn::LearningTask::regression;
  header.targets = {{.name = "when", .shift = 1.7e9, .unit = 30},
                    {.name = "size", .shift = 1.7e5, .unit = 30}};
  const nn::ModelSpec spec = nn::with_output({header.input, {}}, 2);
  const nn::TrainedModel model{
      nn::ParamSlab(nn::slab_header(spec, {"sgd", {}})), nn::Dataset(header), {"mse", {}}};
  EXPECT_EQ(nn::onnx::export_notes(model),
            std::vector<std::string>{
                "the target 'when': a number around 1700000000 has 32 bits in an ONNX file, so "
                "predictions there are rounded to 128; those of `trellis predict` are not"});
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
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "onnx: the layer a1 of kind attention has no translation");
  }
}

}  // namespace
