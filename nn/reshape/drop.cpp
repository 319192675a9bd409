#include "nn/reshape/drop.h"

#include <algorithm>

#include "base/error.h"
#include "nn/layers/conv2d.h"
#include "nn/layers/layer.h"
#include "nn/model/wiring.h"
#include "nn/reshape/anatomy.h"

namespace nn {
namespace {

/// Layers [first, last] that go together.
struct Section {
  std::size_t first = 0, last = 0;
  [[nodiscard]] bool is_block() const { return last > first; }
};

/// The block that a layer opens or closes, or the layer alone.
Section section_of(const ModelSpec& spec, std::size_t index) {
  for (const Skip& skip : wire(spec).skips) {
    if (skip.from == index || skip.to == index) return {skip.from, skip.to};
  }
  return {index, index};
}

std::string activation_before(const ModelSpec& spec, std::size_t index) {
  if (index == 0) return "";
  const Fields& fields = spec.layers[index - 1].fields;
  return fields.contains("activation") ? word(fields, "activation") : "";
}

/// Whether applying a layer's activation to what went through it already changes nothing.
bool idles(const ModelSpec& spec, const Section& section) {
  const std::string& own = word(spec.layers[section.last].fields, "activation");
  return own == "none" || (own == "relu" && activation_before(spec, section.first) == "relu");
}

template <class T>
bool is_zero(const kern::Memory& memory, const Net<T>& net, const ParamTensor& tensor) {
  const Fetched<T> weights(memory, net.copy(0).data(), tensor);
  return std::ranges::all_of(weights.all(), [](T v) { return v == T(0); });
}

template <class T>
bool block_is_zero(const kern::Memory& memory, const Net<T>& net, const Section& section) {
  for (std::size_t layer = section.last; layer-- > section.first;) {
    // What a block inside ends with may be 0, but its input goes on.
    if (layer_of(net.spec().layers[layer].kind).branch() == Branch::closes) return false;
    const Fields& fields = net.spec().layers[layer].fields;
    if (fields.contains("activation") && !is_zero_at_zero(word(fields, "activation"))) return false;
    bool found = false, zero = true;
    for (const ParamTensor& tensor : net.layout.tensors) {
      if (static_cast<std::size_t>(tensor.layer) != layer || !trained(tensor.role)) continue;
      found = true;
      zero = zero && is_zero(memory, net, tensor);
    }
    if (found) return zero;
  }
  return false;
}

/// Whether the middle of the kernel lies on the pixel that the layer makes.
bool is_centred(const ModelSpec& spec, std::size_t index) {
  const Conv2d conv = Conv2d::from(spec.layers[index].fields, infer_flows(spec)[index].shape);
  const kern::Window& w = conv.window;
  return w.kernel_h % 2 == 1 && w.kernel_w % 2 == 1 && w.stride_h == 1 && w.stride_w == 1 &&
         w.pad_h == w.kernel_h / 2 * w.dilation_h && w.pad_w == w.kernel_w / 2 * w.dilation_w;
}

template <class T>
bool layer_is_identity(const kern::Memory& memory, const Net<T>& net, std::size_t index) {
  const LayerSpec& layer = net.spec().layers[index];
  const ParamTensor* weight = net.layout.find(layer.name + ".weight");
  const ParamTensor* bias = net.layout.find(layer.name + ".bias");
  if (weight == nullptr || bias == nullptr || !is_zero(memory, net, *bias)) return false;
  const auto outputs = static_cast<std::size_t>(weight->dims[std::size_t(weight->out_axis)]);
  const std::size_t inputs = weight->count / outputs;
  const auto read = static_cast<std::size_t>(weight->dims[weight->out_axis == 0 ? 3 : 0]);
  if (read != outputs) return false;
  if (layer.kind == "conv2d" && !is_centred(net.spec(), index)) return false;
  const std::size_t centre = inputs / outputs / 2 * outputs;
  const Fetched<T> weights(memory, net.copy(0).data(), *weight);
  for (std::size_t i = 0; i < weight->count; ++i) {
    const bool dense = weight->out_axis != 0;
    const std::size_t row = i / (dense ? outputs : inputs), column = i % (dense ? outputs : inputs);
    const bool one = dense ? row == column : column == centre + row;
    if (weights.all()[i] != (one ? T(1) : T(0))) return false;
  }
  return true;
}

template <class T>
Net<T> drop(const ReshapeJob<T>& job) {
  const kern::Kernels<T>& kernels = job.hands.kernels;
  const std::string& layer = job.operation.layer;
  if (boolean(job.operation.fields, "exact") && !drops_exactly(job.from, layer, *kernels.memory)) {
    throw base::Error(base::Errc::study,
                      "drop " + layer + ": would change what the network computes");
  }
  return transplant(kernels, job.from, job.to, job.room(job.to));
}

class DropKind final : public ReshapeKind {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "drop",
        .doc = "Removes a residual block, or a layer whose input and output have the same shape.",
        .fields = {{.name = "exact",
                    .type = FieldType::boolean,
                    .value = false,
                    .doc = "Refuse a removal that changes what the network computes."}}};
    return kInfo;
  }

  [[nodiscard]] ModelSpec spec(const ModelSpec& from, const Operation& operation) const override {
    const Section section = section_of(from, find_layer(from, operation.layer));
    if (section.last + 1 == from.layers.size()) {
      throw SpecError(-1, "layer", "the output layer has to stay");
    }
    const auto flows = infer_flows(from);
    const Shape &before = flows[section.first].shape, &after = flows[section.last + 1].shape;
    if (before != after) {
      throw SpecError(-1, "layer",
                      "it turns " + before.text() + " into " + after.text() +
                          ", so nothing fits behind it without it");
    }
    ModelSpec out = from;
    out.layers.erase(out.layers.begin() + static_cast<std::ptrdiff_t>(section.first),
                     out.layers.begin() + static_cast<std::ptrdiff_t>(section.last) + 1);
    return complete(out);
  }

  [[nodiscard]] Net<float> run(const ReshapeJob<float>& job) const override { return drop(job); }
  [[nodiscard]] Net<double> run(const ReshapeJob<double>& job) const override { return drop(job); }
};

}  // namespace

template <class T>
bool drops_exactly(const Net<T>& net, const std::string& name, const kern::Memory& memory) {
  const ModelSpec& spec = net.spec();
  const Section section = section_of(spec, find_layer(spec, name));
  const LayerSpec& last = spec.layers[section.last];
  if (!last.fields.contains("activation") || !idles(spec, section)) return false;
  return section.is_block() ? block_is_zero(memory, net, section)
                            : layer_is_identity(memory, net, section.last);
}

template bool drops_exactly(const Net<float>&, const std::string&, const kern::Memory&);
template bool drops_exactly(const Net<double>&, const std::string&, const kern::Memory&);

const ReshapeKind& drop_operation() {
  static const DropKind kKind;
  return kKind;
}

}  // namespace nn
