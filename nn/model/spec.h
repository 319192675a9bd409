#pragma once
// ModelSpec: a network as a value. Shapes, cost and parameter layout are pure functions of it.
//
// A spec holds no numbers that training changes; those are in a ParamSlab. Specs are small plain
// aggregates that can be copied, compared, hashed through their byte form, and built by hand:
//
//   nn::ModelSpec spec{.input = nn::Shape::features(784)};
//   spec.layers.push_back(nn::layer("dense", "fc1", {{"units", std::int64_t{128}}, {"activation",
//   "relu"}})); spec = nn::with_output(spec, 10);
//
// Layers are known by their names, never by their positions: random streams, unit groups and
// reshape targets hang on the names. Adding a kind of layer: nn/layers/README.md.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/error.h"
#include "nn/fields.h"
#include "nn/model/shape.h"

namespace nn {

/// One layer: the kind's word, the stable id, the fields (all of them once the spec went through
/// `complete`).
struct LayerSpec {
  std::string kind;
  std::string name;
  Fields fields;
  auto operator<=>(const LayerSpec&) const = default;
};

struct ModelSpec {
  Shape input;
  std::vector<LayerSpec> layers;
  auto operator<=>(const ModelSpec&) const = default;
};

/// Every kind of layer, in the order of the registry. Valid for the life of the process; any
/// thread.
[[nodiscard]] std::span<const KindInfo> layer_kinds();

/// The table entry of a kind; throws SpecError naming the nearest known kind.
[[nodiscard]] const KindInfo& layer_kind(std::string_view kind);

/// A layer with its fields checked and defaults filled in. An empty name is left for `complete` to
/// choose.
[[nodiscard]] LayerSpec layer(std::string_view kind, std::string_view name, const Fields& fields);

/// Checks a whole spec and returns it in canonical form: every field present, every layer named (a
/// nameless layer becomes its kind with the ordinal among the layers of that kind: dense1,
/// conv2d2; a residual block becomes residual1, its end residual1_end), names unique and made of
/// [A-Za-z0-9_-], shapes compatible. Throws SpecError.
[[nodiscard]] ModelSpec complete(const ModelSpec& spec);

/// `spec` with the layer that produces `outputs` numbers a row (classes or targets): a dense layer
/// called "output" without activation. An image is flattened first (a flatten layer called
/// "output_flatten").
[[nodiscard]] ModelSpec with_output(const ModelSpec& spec, std::int64_t outputs);

/// The shape after each layer; element i belongs to layers[i]. Throws SpecError at the first layer
/// that does not fit.
[[nodiscard]] std::vector<Shape> infer_shapes(const ModelSpec& spec);

/// The shape after the last layer (the input's where there is none).
[[nodiscard]] Shape output_shape(const ModelSpec& spec);

/// Counted arithmetic of one row. The rule, exact and independent of hardware:
///  - a multiply-add of a matrix product or convolution counts 2, positions in the padding
///  included;
///  - biases, activations, pooling, losses, optimizers and element-wise products count 0;
///  - training counts the forward products, the same again for the gradient of every weight tensor,
///  and the same again
///    for the gradient with respect to a layer's input, except where no layer before it has
///    weights. The addition at the end of a residual block and normalisation count 0.
struct Flops {
  std::uint64_t forward = 0;
  std::uint64_t training = 0;
};
[[nodiscard]] Flops flops_per_row(const ModelSpec& spec);

/// Number of trainable weights, padding and running statistics not counted.
[[nodiscard]] std::uint64_t weight_count(const ModelSpec& spec);

/// "784 -> dense fc1 128 relu -> b1 [dense fc2 128 none] + input relu -> dense output 10 none": one
/// line for people; what entered a residual block is its "input".
[[nodiscard]] std::string describe(const ModelSpec& spec);

}  // namespace nn
