#pragma once
// Small networks and data for the tests of nn/.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/data/data_view.h"
#include "nn/losses/loss.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace nn_test {

inline nn::FieldValue n(std::int64_t value) { return value; }

/// `inputs` -> dense of each width -> outputs.
inline nn::ModelSpec mlp(std::int64_t inputs, const std::vector<std::int64_t>& widths,
                         std::int64_t outputs, const std::string& activation = "relu") {
  nn::ModelSpec spec{.input = nn::Shape::features(inputs), .layers = {}};
  for (const auto width : widths) {
    spec.layers.push_back({"dense", "", {{"units", width}, {"activation", activation}}});
  }
  return nn::with_output(spec, outputs);
}

/// conv - pool - conv - pool - dense - output over 28x28x1 images.
inline nn::ModelSpec lenet(std::int64_t c1, std::int64_t c2, std::int64_t width) {
  nn::ModelSpec spec{.input = nn::Shape::image(28, 28, 1), .layers = {}};
  spec.layers = {{"conv2d", "c1", {{"units", c1}, {"kernel", n(5)}}},
                 {"max_pool", "p1", {}},
                 {"conv2d", "c2", {{"units", c2}, {"kernel", n(5)}}},
                 {"max_pool", "p2", {}},
                 {"flatten", "flat", {}},
                 {"dense", "fc", {{"units", width}}}};
  return nn::with_output(spec, 10);
}

/// dense - batch_norm with relu - dense - batch_norm - output: one of everything that has a state.
inline nn::ModelSpec normed(std::int64_t inputs, std::int64_t width, std::int64_t outputs) {
  nn::ModelSpec spec{.input = nn::Shape::features(inputs), .layers = {}};
  spec.layers = {{"dense", "fc1", {{"units", width}, {"activation", "none"}}},
                 {"batch_norm", "bn1", {{"activation", "relu"}}},
                 {"dense", "fc2", {{"units", width}}},
                 {"batch_norm", "bn2", {{"momentum", 0.05}}}};
  return nn::with_output(spec, outputs);
}

/// One of everything over 6x6x1 images.
inline nn::ModelSpec assorted(std::int64_t channels, std::int64_t outputs) {
  nn::ModelSpec spec{.input = nn::Shape::image(6, 6, 1), .layers = {}};
  const nn::Fields conv{{"units", channels}, {"padding", "same"}, {"activation", "none"}};
  spec.layers = {{"conv2d", "c1", conv},
                 {"batch_norm", "bn1", {{"activation", "relu"}}},
                 {"residual_begin", "block", {}},
                 {"conv2d", "c2", conv},
                 {"batch_norm", "bn2", {}},
                 {"residual_end", "", {{"activation", "relu"}}},
                 {"dropout", "drop1", {{"rate", 0.2}}},
                 {"avg_pool", "pool", {}},
                 {"layer_norm", "ln", {{"activation", "tanh"}}},
                 {"global_pool", "features", {}},
                 {"dense", "fc", {{"units", 2 * channels}}},
                 {"dropout", "drop2", {{"rate", 0.3}}}};
  return nn::with_output(spec, outputs);
}

/// features -> dense -> residual block of two dense layers with relu behind the sum -> output.
inline nn::ModelSpec residual(std::int64_t inputs, std::int64_t width, std::int64_t outputs) {
  nn::ModelSpec spec{.input = nn::Shape::features(inputs), .layers = {}};
  spec.layers = {{"dense", "stem", {{"units", width}}},
                 {"residual_begin", "block", {}},
                 {"dense", "fc1", {{"units", 2 * width}}},
                 {"dense", "fc2", {{"units", width}, {"activation", "none"}}},
                 {"residual_end", "", {{"activation", "relu"}}}};
  return nn::with_output(spec, outputs);
}

/// A table of random features; the label is a fixed random linear rule, so that it can be learnt.
/// The numbers to predict are the rule's scores themselves.
struct Table {
  Table(std::uint32_t rows, std::int32_t cols, std::int32_t outputs, std::uint64_t seed = 1);
  [[nodiscard]] nn::DataView view(bool numbers = false) const;

  nn::Shape shape;
  std::int32_t outputs;
  std::vector<float> x, shift, scale, targets;
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> rows;
};

/// A loss with its fields, and the number of classes or numbers that it is tried on.
struct LossCase {
  nn::Choice loss;
  std::int64_t data_outputs = 3;
  [[nodiscard]] const nn::Loss& kind() const { return nn::loss_of(loss.kind); }
  [[nodiscard]] std::int64_t outputs() const { return kind().outputs(data_outputs); }
  [[nodiscard]] std::string text() const;
};

/// Every registered loss by its defaults, and where it has them with label smoothing and class
/// weights.
[[nodiscard]] std::vector<LossCase> loss_cases();

/// The loss with class weights of 0.5, 1, 1.5, 0.5, ... where the case asks for them.
template <class T>
[[nodiscard]] std::unique_ptr<nn::LossFunction<T>> bound(const LossCase& c) {
  const auto field = c.loss.fields.find("class_weights");
  const bool weighted = field != c.loss.fields.end() && field->second == nn::FieldValue("balanced");
  std::vector<float> weights;
  for (std::int64_t i = 0; weighted && i < c.data_outputs; ++i)
    weights.push_back(0.5F + 0.5F * static_cast<float>(i % 3));
  return c.kind().bind(c.loss.fields, weights, T{});
}

/// Completed hyperparameters.
nn::Hyper hyper(const std::string& optimizer, nn::Fields fields, int batch = 16, int shards = 1,
                const std::string& loss = "cross_entropy");

}  // namespace nn_test
