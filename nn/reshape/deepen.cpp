#include "nn/reshape/deepen.h"

#include <algorithm>
#include <numeric>

#include "nn/reshape/anatomy.h"
#include "nn/reshape/draw.h"
#include "nn/reshape/reading.h"

namespace nn {
namespace {

bool is_residual(const Operation& operation) {
  return word(operation.fields, "form") == "residual";
}

/// The name that new layers start with.
std::string stem(const ModelSpec& spec, const std::string& layer) {
  for (int number = 1;; ++number) {
    const std::string name = layer + "_" + std::to_string(number);
    const auto taken = [&](const LayerSpec& l) {
      return l.name == name || l.name.starts_with(name + "_");
    };
    if (std::ranges::none_of(spec.layers, taken)) return name;
  }
}

/// A layer of the same kind that keeps the shape.
LayerSpec like(const LayerSpec& old, const std::string& name, std::int64_t units,
               const std::string& activation) {
  Fields fields{{"units", units}, {"activation", activation}};
  if (old.kind == "conv2d") fields.merge(Fields{{"kernel", std::int64_t{3}}, {"padding", "same"}});
  return {old.kind, name, fields};
}

std::vector<LayerSpec> new_layers(const ModelSpec& spec, const Operation& operation,
                                  const LayerSpec& old) {
  const std::string name = stem(spec, old.name);
  const std::int64_t units = integer(old.fields, "units");
  if (!is_residual(operation)) return {like(old, name, units, word(old.fields, "activation"))};
  return {{"residual_begin", name + "_begin", {}},
          like(old, name + "_in", units, "relu"),
          like(old, name + "_out", units, "none"),
          {"residual_end", name + "_end", {}}};
}

/// Makes a layer's weights, which are 0, the identity.
template <class T>
void set_identity(const ReshapeContext<T>& hands, Net<T>& net, const std::string& layer) {
  const ParamTensor& weight = *net.layout.find(layer + ".weight");
  const auto outputs = static_cast<std::size_t>(weight.dims[std::size_t(weight.out_axis)]);
  const std::size_t inputs = weight.count / outputs;
  const bool dense = weight.out_axis != 0;
  // A convolution's centre lies in the middle of its kernel's positions.
  const std::size_t centre = (inputs / outputs / 2) * outputs;
  std::vector<T> list(weight.count);
  for (std::size_t u = 0; u < outputs; ++u)
    list[dense ? u * outputs + u : u * inputs + centre + u] = 1;
  add_to_tensor<T>(hands, net.copy(0).data(), weight, list);
}

template <class T>
Net<T> deepen(const ReshapeJob<T>& job) {
  const ModelSpec& old = job.from.spec();
  const std::size_t at = find_layer(old, job.operation.layer) + 1;
  Net<T> net = transplant(job.hands.kernels, job.from, job.to, job.room(job.to));
  if (!is_residual(job.operation)) {
    set_identity(job.hands, net, job.to.layers[at].name);
    return net;
  }
  const std::string inner = group_after(job.to, at + 1);
  std::vector<std::int32_t> units(static_cast<std::size_t>(units_of(job.to, inner)));
  std::iota(units.begin(), units.end(), 0);
  draw_units(job.hands, net, inner, units, job.seed);
  return net;
}

class DeepenKind final : public ReshapeKind {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "deepen",
        .doc = "Adds layers after a dense layer or convolution.",
        .fields = {
            {.name = "form",
             .type = FieldType::word,
             .choices = {"residual", "identity"},
             .value = "residual",
             .doc = "Form of the new layers. `residual`: a block whose last layer is 0. "
                    "`identity`: one layer that changes nothing, only after `relu` or `none`."}}};
    return kInfo;
  }

  [[nodiscard]] ModelSpec spec(const ModelSpec& from, const Operation& operation) const override {
    const std::size_t index = find_layer(from, operation.layer);
    const LayerSpec& layer = from.layers[index];
    if (layer.kind != "dense" && layer.kind != "conv2d") {
      throw SpecError(-1, "layer",
                      "new layers go behind a dense layer or a conv2d, not behind a " + layer.kind);
    }
    if (index + 1 == from.layers.size()) {
      throw SpecError(-1, "layer", "nothing goes behind the output layer");
    }
    const std::string& activation = word(layer.fields, "activation");
    if (!is_residual(operation) && activation != "relu" && activation != "none") {
      throw SpecError(
          -1, "form",
          "identity needs the activation relu or none, not " + activation + "; residual does not");
    }
    ModelSpec out = from;
    const auto added = new_layers(from, operation, layer);
    out.layers.insert(out.layers.begin() + static_cast<std::ptrdiff_t>(index) + 1, added.begin(),
                      added.end());
    return complete(out);
  }

  [[nodiscard]] Net<float> run(const ReshapeJob<float>& job) const override { return deepen(job); }
  [[nodiscard]] Net<double> run(const ReshapeJob<double>& job) const override {
    return deepen(job);
  }
};

}  // namespace

const ReshapeKind& deepen_operation() {
  static const DeepenKind kKind;
  return kKind;
}

}  // namespace nn
