#include "nn/onnx/export.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "nn/data/data_error.h"
#include "nn/data/preprocessing.h"
#include "nn/fields.h"
#include "nn/onnx/layers.h"

namespace nn::onnx {

namespace {

constexpr std::size_t kMostBytes = INT32_MAX;

Dims dims_of(const Shape& shape) {
  Dims dims{0};
  dims.insert(dims.end(), shape.dims.begin(), shape.dims.end());
  return dims;
}

Dims without_rows(const Shape& shape) { return {shape.dims.begin(), shape.dims.end()}; }

/// The input. Where columns have an offset it comes in as doubles, which hold such numbers, and
/// goes on as floats without it.
void add_input(Translation& t, const Dataset& data) {
  std::vector<double> offsets;
  for (const FeatureColumn& column : data.header().columns) {
    offsets.push_back(column.offset);
    offsets.resize(offsets.size() + column.inputs() - 1);
  }
  const bool some = std::ranges::any_of(offsets, [](double offset) { return offset != 0; });
  t.graph.input(t.x, dims_of(data.header().input), some ? Type::float64 : Type::float32);
  if (!some) return;
  const std::string offset = t.graph.constant("offset", without_rows(data.header().input), offsets);
  t.x = t.graph.node("Sub", {t.x, offset}, "without_offset");
  t.x = t.graph.node("Cast", {t.x}, "numbers", {{"to", static_cast<std::int64_t>(Type::float32)}});
}

void add_scaling(Translation& t, const Dataset& data) {
  const Dims dims = without_rows(data.header().input);
  const std::string shift = t.graph.constant("scaling_shift", dims, data.shift());
  const std::string factor = t.graph.constant("scaling_factor", dims, data.scale());
  t.x = t.graph.node("Sub", {t.x, shift}, "scaling_shifted");
  t.x = t.graph.node("Mul", {t.x, factor}, "scaling");
}

/// Probabilities and the class of a row as a model's calibration has them.
void add_calibrated(Translation& t, const Calibration& calibration) {
  const LogitChange change = logit_change(calibration);
  std::string logits = "logits";
  if (change.factor != 1) {
    const std::string factor = t.graph.constant("calibration_factor", {}, {&change.factor, 1});
    logits = t.graph.node("Mul", {logits, factor}, "calibrated");
  }
  t.graph.node("Softmax", {logits}, "probabilities", {{"axis", std::int64_t{-1}}});
  if (change.shift != 0) {
    const std::array<float, 2> shifts{change.shift, 0};
    const std::string shift = t.graph.constant("calibration_shift", {2}, shifts);
    logits = t.graph.node("Add", {logits, shift}, "decided");
  }
  t.graph.node("ArgMax", {logits}, "class",
               {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}});
}

void add_answers(Translation& t, const TrainedModel& model) {
  const Dataset& data = model.data;
  const Dims dims{0, static_cast<std::int64_t>(data.outputs())};
  if (data.is_classification()) {
    if (output_shape(t.net.spec()).elements() == 1) {
      // One logit stands for two, of which the first is 0.
      const float none = 0;
      const std::string zero = t.graph.constant("output_zero", {}, {&none, 1});
      const std::string first = t.graph.node("Mul", {t.x, zero}, "output_first");
      t.x = t.graph.node("Concat", {first, t.x}, "output_both", {{"axis", std::int64_t{1}}});
    }
    t.graph.node("Identity", {t.x}, "logits");
    add_calibrated(t, model.calibration);
    t.graph.output("logits", dims);
    t.graph.output("probabilities", dims);
    t.graph.output("class", {0}, Type::int64);
    return;
  }
  const auto of_targets = [&](const char* name, double TargetColumn::*member) {
    std::vector<float> values;
    for (const TargetColumn& target : data.header().targets)
      values.push_back(static_cast<float>(target.*member));
    const Dims each{static_cast<std::int64_t>(values.size())};
    return t.graph.constant(name, values.size() == 1 ? Dims{} : each, values);
  };
  const std::string unit = of_targets("target_unit", &TargetColumn::unit);
  const std::string shift = of_targets("target_shift", &TargetColumn::shift);
  const std::string scaled = t.graph.node("Mul", {t.x, unit}, "target_scaled");
  t.graph.node("Add", {scaled, shift}, "prediction");
  t.graph.output("prediction", dims);
}

}  // namespace

std::string model_file(const TrainedModel& model,
                       const std::map<std::string, std::string>& metadata) {
  const ModelSpec& spec = model.net.spec();
  Graph graph;
  const ParamLayout layout = param_layout(spec);
  Translation translation{.graph = graph, .net = model.net, .layout = layout, .x = "input"};
  add_input(translation, model.data);
  add_scaling(translation, model.data);
  const std::vector<Flow> flows = infer_flows(spec);
  for (std::size_t i = 0; i < spec.layers.size(); ++i)
    add_layer(translation, spec.layers[i], flows[i], flows[i + 1]);
  add_answers(translation, model);
  std::map<std::string, std::string> texts = metadata;
  texts.emplace("preprocessing", preprocessing_json(model.data));
  std::string file = graph.file(texts);
  if (file.size() > kMostBytes)
    throw base::Error(base::Errc::data, "onnx: the network takes " + std::to_string(file.size()) +
                                            " bytes, expected at most " +
                                            std::to_string(kMostBytes));
  return file;
}

std::vector<std::string> export_notes(const TrainedModel& model) {
  constexpr double kWorthANote = 1e-3;  // of a standard deviation
  std::vector<std::string> notes;
  for (const TargetColumn& target : model.data.header().targets) {
    const auto shift = std::abs(static_cast<float>(target.shift));
    const double step = static_cast<double>(std::nextafter(shift, FLT_MAX) - shift);
    if (model.data.is_classification() || step / 2 <= kWorthANote * target.unit) continue;
    notes.push_back("the target " + in_quotes(target.name) + ": a number around " +
                    to_text(static_cast<double>(shift)) + " has 32 bits in an ONNX file, so " +
                    "predictions there are rounded to " + to_text(step) +
                    "; those of `trellis predict` are not");
  }
  return notes;
}

}  // namespace nn::onnx
