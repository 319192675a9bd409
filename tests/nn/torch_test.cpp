// Fifty steps of training against what PyTorch computes: every layer, activation, loss, optimizer
// and schedule, in f64 by the reference kernels and in f32 by the fast ones. The numbers are those
// of tests/golden/torch_steps.py, which also says how inputs and first weights follow from names.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "nn/data/block.h"
#include "nn/layers/activation.h"
#include "nn/losses/loss.h"
#include "nn/training/trainer.h"

namespace {

using Json = nlohmann::json;

constexpr std::size_t kRows = 20, kBatch = 4, kSteps = 50;
constexpr double kTolerance = 1e-5;

/// `count` numbers in [-1, 1) that a name stands for.
std::vector<double> draws(const std::string& name, std::size_t count) {
  std::uint32_t salt = 2166136261U;
  for (const char c : name) salt = (salt ^ static_cast<unsigned char>(c)) * 16777619U;
  std::vector<double> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t h = i * 2654435761U + salt;
    h ^= h >> 15;
    h *= 2246822519U;
    h ^= h >> 13;
    out.push_back(static_cast<double>(h >> 8) / (1 << 23) - 1);
  }
  return out;
}

nn::FieldValue value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return json.get<nn::NumberByName>();
}

nn::Fields fields_of(const Json& json) {
  nn::Fields fields;
  for (const auto& [name, value] : json.items()) fields[name] = value_of(value);
  return fields;
}

nn::ModelSpec spec_of(const Json& json) {
  nn::ModelSpec spec;
  spec.input.dims = json["input"].get<std::vector<std::int32_t>>();
  for (const Json& layer : json["layers"]) {
    nn::Fields fields = fields_of(layer);
    fields.erase("kind");
    fields.erase("name");
    spec.layers.push_back({layer["kind"], layer["name"], fields});
  }
  return nn::complete(spec);
}

/// Inputs, targets and how they are trained on.
struct Case {
  explicit Case(const Json& j)
      : json(j),
        spec(spec_of(j)),
        hyper(nn::complete(
            nn::Hyper{.loss = {j["loss"], fields_of(j.value("loss_fields", Json::object()))},
                      .optimizer = {j["optimizer"], fields_of(j["optimizer_fields"])},
                      .batch = kBatch,
                      .clip = j.value("clip", 0.0)})) {
    const auto inputs = static_cast<std::size_t>(spec.input.elements());
    const auto outputs = j["outputs"].get<std::size_t>();
    for (const double v : draws("x", kRows * inputs)) x.push_back(static_cast<float>(v));
    for (const double v : draws("target", kRows * outputs))
      targets.push_back(static_cast<float>(v));
    for (const double v : draws("label", kRows))
      labels.push_back(static_cast<std::int32_t>((v + 1) / 2 * static_cast<double>(outputs)));
    for (std::size_t c = 0; c < outputs; ++c) names.push_back("c" + std::to_string(c));
    shift.assign(inputs, 0);
    scale.assign(inputs, 1);
    view = {.shape = spec.input,
            .f32 = x.data(),
            .shift = shift.data(),
            .scale = scale.data(),
            .outputs = static_cast<std::int32_t>(outputs),
            .class_names = names};
    const bool numbers = nn::target_kind(hyper.loss.kind) == nn::TargetKind::numbers;
    view.labels = numbers ? nullptr : labels.data();
    view.targets = numbers ? targets.data() : nullptr;
  }

  /// The rate at a step, counting from 0.
  [[nodiscard]] double rate(std::size_t step) const {
    const double lr = nn::real(hyper.optimizer.fields, "lr");
    if (!json.contains("schedule")) return lr;
    const Json& schedule = json["schedule"];
    const auto curve = nn::schedule_curve({schedule["kind"], fields_of(schedule["fields"])}, lr,
                                          kSteps * kBatch / kRows);
    return nn::lr_at(curve, static_cast<double>(step * kBatch) / static_cast<double>(kRows));
  }

  const Json& json;
  nn::ModelSpec spec;
  nn::Hyper hyper;
  std::vector<float> x, targets, shift, scale;
  std::vector<std::int32_t> labels;
  std::vector<std::string> names;
  nn::DataView view;
};

template <class T>
std::vector<T> first_weights(const nn::ParamLayout& layout) {
  std::vector<T> weights(layout.count);
  for (const nn::ParamTensor& tensor : layout.tensors) {
    const auto drawn = draws(tensor.name, tensor.count);
    for (std::size_t i = 0; i < tensor.count; ++i) {
      double v = 0;
      if (tensor.role == nn::ParamRole::weight)
        v = drawn[i] * std::sqrt(3 / static_cast<double>(tensor.fan_in));
      if (tensor.role == nn::ParamRole::bias) v = 0.1 * drawn[i];
      if (tensor.role == nn::ParamRole::scale) v = 1 + 0.2 * drawn[i];
      if (tensor.role == nn::ParamRole::shift) v = 0.2 * drawn[i];
      if (tensor.role == nn::ParamRole::variance) v = 1;
      weights[tensor.offset + i] = static_cast<T>(v);
    }
  }
  return weights;
}

template <class T>
void check(const Case& c, const kern::Kernels<T>& kernels) {
  const nn::Network<T> network(c.spec, kernels, kBatch, nn::Use::training);
  const auto loss = nn::loss_function<T>(c.hyper.loss, c.view);
  const auto& kind = nn::optimizer_of(c.hyper.optimizer.kind);
  const auto update = kind.bind(c.hyper.optimizer.fields, T{});
  nn::Block arena(nn::Trainer<T>::arena_bytes(network, c.view, 1));
  std::vector<T> weights = first_weights<T>(network.layout());
  std::vector<T> slots(weights.size() *
                       static_cast<std::size_t>(kind.slots(c.hyper.optimizer.fields)));
  nn::Trainer<T> trainer({.clip = c.hyper.clip}, {.network = network,
                                                  .loss = *loss,
                                                  .update = *update,
                                                  .data = c.view,
                                                  .weights = weights.data(),
                                                  .slots = slots.data(),
                                                  .arena = arena.bytes().data()});
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < kBatch; ++i)
      rows.push_back(static_cast<std::uint32_t>((step * kBatch + i) % kRows));
    const auto sums = trainer.step(
        {.rows = rows, .number = static_cast<std::int64_t>(step) + 1, .rate = c.rate(step)});
    const double wanted = c.json["losses"][step];
    ASSERT_NEAR(sums.loss / kBatch, wanted, kTolerance * std::max(1.0, wanted)) << "step " << step;
  }
  for (const nn::ParamTensor& tensor : network.layout().tensors) {
    const Json& wanted = c.json["weights"][tensor.name];
    ASSERT_EQ(wanted.size(), tensor.count) << tensor.name;
    for (std::size_t i = 0; i < tensor.count; ++i) {
      const double w = wanted[i];
      ASSERT_NEAR(weights[tensor.offset + i], w, kTolerance * std::max(1.0, std::abs(w)))
          << tensor.name << "[" << i << "]";
    }
  }
}

const Json& golden() {
  static const Json kGolden = [] {
    std::ifstream file(TRELLIS_SOURCE_ROOT "/tests/golden/torch_steps.json");
    return Json::parse(file);
  }();
  return kGolden;
}

TEST(Torch, FiftyStepsAgree) {
  kern::prepare_thread();
  for (const auto& [name, json] : golden().items()) {
    SCOPED_TRACE(name);
    const Case c(json);
    {
      SCOPED_TRACE("f64, reference kernels");
      check(c, kern::ref_kernels<double>());
    }
    SCOPED_TRACE("f32, fast kernels");
    check(c, kern::cpu_kernels());
  }
}

/// What the cases name of each registry.
std::set<std::string> named(const std::string& key) {
  std::set<std::string> words;
  for (const auto& [name, json] : golden().items()) {
    if (json.contains(key)) words.insert(json[key].is_object() ? json[key]["kind"] : json[key]);
  }
  return words;
}

constexpr const char* kNoCase = ": tests/golden/torch_steps.py has no case with it";

TEST(Torch, KnowsEveryKindThatIsNotRandom) {
  std::set<std::string> layers, activations;
  for (const auto& [name, json] : golden().items()) {
    for (const Json& layer : json["layers"]) {
      layers.insert(layer["kind"]);
      if (layer.contains("activation")) activations.insert(layer["activation"]);
    }
  }
  for (const nn::KindInfo& kind : nn::layer_kinds())
    EXPECT_TRUE(layers.contains(kind.kind) || kind.kind == "dropout") << kind.kind << kNoCase;
  for (const std::string& word : nn::activation_field().choices)
    EXPECT_TRUE(activations.contains(word)) << word << kNoCase;
  const auto losses = named("loss"), optimizers = named("optimizer"), schedules = named("schedule");
  for (const nn::KindInfo& kind : nn::loss_kinds())
    EXPECT_TRUE(losses.contains(kind.kind)) << kind.kind << kNoCase;
  for (const nn::KindInfo& kind : nn::optimizer_kinds())
    EXPECT_TRUE(optimizers.contains(kind.kind)) << kind.kind << kNoCase;
  for (const nn::KindInfo& kind : nn::schedule_kinds())
    EXPECT_TRUE(schedules.contains(kind.kind) || kind.kind == "constant") << kind.kind << kNoCase;
}

}  // namespace
