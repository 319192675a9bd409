#include "nn/onnx/layers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "nn/layers/conv2d.h"
#include "nn/layers/layer.h"
#include "nn/layers/pool.h"

namespace nn::onnx {

namespace {

/// What leaves a layer, behind its name. Names of a layer's tensors have a point and those of the
/// graph have none, so that a layer may be called `prediction`.
constexpr const char* kResult = ".result";

struct Place {
  const LayerSpec& layer;
  const Flow& in;
  const Flow& out;
};

/// How many rows of weights a last axis has.
std::int64_t channels(const Flow& flow) { return flow.shape.dims.back(); }

void activate(Translation& t, const LayerSpec& layer) {
  const auto found = layer.fields.find("activation");
  const std::string word =
      found == layer.fields.end() ? "none" : std::get<std::string>(found->second);
  if (word == "none") return;
  const std::string name = layer.name + "." + word;
  if (word == "relu") {
    t.x = t.graph.node("Relu", {t.x}, name);
  } else if (word == "tanh") {
    t.x = t.graph.node("Tanh", {t.x}, name);
  } else if (word == "sigmoid") {
    t.x = t.graph.node("Sigmoid", {t.x}, name);
  } else if (word == "gelu") {
    // x / 2 * (1 + erf(x / sqrt(2)))
    const float root = static_cast<float>(1 / std::sqrt(2.0)), half = 0.5F, one = 1;
    const auto number = [&](const char* what, const float& value) {
      return t.graph.constant(name + what, {}, {&value, 1});
    };
    std::string y = t.graph.node("Mul", {t.x, number(".root", root)}, name + ".scaled");
    y = t.graph.node("Erf", {y}, name + ".erf");
    y = t.graph.node("Add", {y, number(".one", one)}, name + ".sum");
    y = t.graph.node("Mul", {y, t.x}, name + ".product");
    t.x = t.graph.node("Mul", {y, number(".half", half)}, name);
  } else {
    throw base::Error(base::Errc::data,
                      "onnx: the activation " + word + " of " + layer.name + " has no translation");
  }
}

void dense(Translation& t, const Place& p) {
  const std::string& name = p.layer.name;
  const std::int64_t inputs = p.in.shape.elements(), units = p.out.shape.elements();
  const std::string weight =
      t.graph.constant(name + ".weight", {inputs, units}, t.weights(name + ".weight"));
  const std::string bias = t.graph.constant(name + ".bias", {units}, t.weights(name + ".bias"));
  t.x = t.graph.node("Gemm", {t.x, weight, bias}, name + kResult);
  activate(t, p.layer);
}

/// Runs `operation` where channels come first, as ONNX wants images.
void on_channels_first(Translation& t, const Place& p, std::string_view operation,
                       const std::vector<std::string>& more, const Attributes& attributes) {
  const std::string& name = p.layer.name;
  using Order = std::vector<std::int64_t>;
  std::vector<std::string> inputs{
      t.graph.node("Transpose", {t.x}, name + ".first", {{"perm", Order{0, 3, 1, 2}}})};
  inputs.insert(inputs.end(), more.begin(), more.end());
  const std::string y = t.graph.node(operation, inputs, name + ".y", attributes);
  t.x = t.graph.node("Transpose", {y}, name + kResult, {{"perm", Order{0, 2, 3, 1}}});
}

/// [out, height, width, in] -> [out, in, height, width]
std::vector<float> channels_first(std::span<const float> weights, std::size_t units,
                                  std::size_t area, std::size_t inputs) {
  std::vector<float> turned(weights.size());
  for (std::size_t u = 0; u < units; ++u) {
    for (std::size_t i = 0; i < inputs; ++i) {
      for (std::size_t a = 0; a < area; ++a)
        turned[(u * inputs + i) * area + a] = weights[(u * area + a) * inputs + i];
    }
  }
  return turned;
}

/// Zeros behind an image so that the last of `positions` fits.
std::int64_t padding_behind(int size, int positions, int stride, int reach, int before) {
  return std::max(0, (positions - 1) * stride + reach - size - before);
}

std::int64_t whole_or(const Fields& fields, const std::string& name, std::int64_t otherwise) {
  const auto found = fields.find(name);
  return found == fields.end() ? otherwise : std::get<std::int64_t>(found->second);
}

void conv2d(Translation& t, const Place& p) {
  const std::string& name = p.layer.name;
  const kern::Window w = Conv2d::from(p.layer.fields, p.in.shape).window;
  const std::int64_t groups = whole_or(p.layer.fields, "groups", 1);
  const std::int64_t dilation = whole_or(p.layer.fields, "dilation", 1);
  const auto reach_h = static_cast<int>((w.kernel_h - 1) * dilation + 1);
  const auto reach_w = static_cast<int>((w.kernel_w - 1) * dilation + 1);
  const std::int64_t units = channels(p.out), inputs = channels(p.in) / groups;
  const auto turned =
      channels_first(t.weights(name + ".weight"), std::size_t(units),
                     std::size_t(w.kernel_h) * std::size_t(w.kernel_w), std::size_t(inputs));
  const std::string weight =
      t.graph.constant(name + ".weight", {units, inputs, w.kernel_h, w.kernel_w}, turned);
  const std::string bias = t.graph.constant(name + ".bias", {units}, t.weights(name + ".bias"));
  using Ints = std::vector<std::int64_t>;
  on_channels_first(
      t, p, "Conv", {weight, bias},
      {{"kernel_shape", Ints{w.kernel_h, w.kernel_w}},
       {"strides", Ints{w.stride_h, w.stride_w}},
       {"dilations", Ints{dilation, dilation}},
       {"group", groups},
       {"pads",
        Ints{w.pad_h, w.pad_w, padding_behind(w.in_h, w.out_h, w.stride_h, reach_h, w.pad_h),
             padding_behind(w.in_w, w.out_w, w.stride_w, reach_w, w.pad_w)}}});
  activate(t, p.layer);
}

Attributes pool_attributes(const Place& p) {
  using Ints = std::vector<std::int64_t>;
  const kern::Window w = pool_window(p.layer.fields, p.in.shape);
  return {{"kernel_shape", Ints{w.kernel_h, w.kernel_w}},
          {"strides", Ints{w.stride_h, w.stride_w}}};
}

void max_pool(Translation& t, const Place& p) {
  on_channels_first(t, p, "MaxPool", {}, pool_attributes(p));
}
void avg_pool(Translation& t, const Place& p) {
  on_channels_first(t, p, "AveragePool", {}, pool_attributes(p));
}
void global_pool(Translation& t, const Place& p) {
  t.x = t.graph.node("ReduceMean", {t.x}, p.layer.name + kResult,
                     {{"axes", std::vector<std::int64_t>{1, 2}}, {"keepdims", std::int64_t{0}}});
}

/// In use it is a factor and a summand for each column.
void batch_norm(Translation& t, const Place& p) {
  const std::string& name = p.layer.name;
  const double epsilon = real(p.layer.fields, "epsilon");
  const auto scale = t.weights(name + ".scale"), shift = t.weights(name + ".shift");
  const auto mean = t.weights(name + ".mean"), variance = t.weights(name + ".variance");
  std::vector<float> factor(scale.size()), summand(scale.size());
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const double f = double{scale[c]} / std::sqrt(double{variance[c]} + epsilon);
    factor[c] = static_cast<float>(f);
    summand[c] = static_cast<float>(double{shift[c]} - double{mean[c]} * f);
  }
  const std::string a = t.graph.constant(name + ".factor", {channels(p.in)}, factor);
  const std::string b = t.graph.constant(name + ".summand", {channels(p.in)}, summand);
  t.x = t.graph.node("Add", {t.graph.node("Mul", {t.x, a}, name + ".scaled"), b}, name + kResult);
  activate(t, p.layer);
}

void layer_norm(Translation& t, const Place& p) {
  const std::string& name = p.layer.name;
  const auto epsilon = static_cast<float>(real(p.layer.fields, "epsilon"));
  const std::string scale =
      t.graph.constant(name + ".scale", {channels(p.in)}, t.weights(name + ".scale"));
  const std::string shift =
      t.graph.constant(name + ".shift", {channels(p.in)}, t.weights(name + ".shift"));
  t.x = t.graph.node("LayerNormalization", {t.x, scale, shift}, name + kResult,
                     {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}});
  activate(t, p.layer);
}

void nothing(Translation&, const Place&) {}

void flatten(Translation& t, const Place& p) {
  t.x = t.graph.node("Flatten", {t.x}, p.layer.name + kResult, {{"axis", std::int64_t{1}}});
}

void residual_begin(Translation& t, const Place&) { t.skips.push_back(t.x); }

void residual_end(Translation& t, const Place& p) {
  t.x = t.graph.node("Add", {t.x, t.skips.back()}, p.layer.name + kResult);
  t.skips.pop_back();
  activate(t, p.layer);
}

struct Entry {
  std::string_view kind;
  void (*add)(Translation&, const Place&);
};

constexpr std::array kKinds{
    Entry{"dense", dense},
    Entry{"conv2d", conv2d},
    Entry{"max_pool", max_pool},
    Entry{"avg_pool", avg_pool},
    Entry{"global_pool", global_pool},
    Entry{"batch_norm", batch_norm},
    Entry{"layer_norm", layer_norm},
    Entry{"dropout", nothing},
    Entry{"flatten", flatten},
    Entry{"residual_begin", residual_begin},
    Entry{"residual_end", residual_end},
};

}  // namespace

std::span<const float> Translation::weights(const std::string& name) const {
  const ParamTensor& tensor = *layout.find(name);
  return net.weights().subspan(tensor.offset, tensor.count);
}

void add_layer(Translation& translation, const LayerSpec& layer, const Flow& in, const Flow& out) {
  const auto found = std::ranges::find(kKinds, layer.kind, &Entry::kind);
  if (found == kKinds.end())
    throw base::Error(base::Errc::data, "onnx: the layer " + layer.name + " of kind " + layer.kind +
                                            " has no translation");
  found->add(translation, {layer, in, out});
}

}  // namespace nn::onnx
