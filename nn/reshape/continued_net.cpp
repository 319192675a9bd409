#include "nn/reshape/continued_net.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/kernels.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/draw.h"
#include "nn/reshape/net.h"

namespace nn {

namespace {

constexpr const char* kInputs = "input";

std::string output_group(const ModelSpec& spec) {
  return group_after(spec, spec.layers.size() - 1);
}

ModelSpec with_inputs(ModelSpec spec, const Shape& input) {
  spec.input = input;
  return complete(spec);
}

/// New inputs of a normalisation are as at birth: its scales and variances are 1.
void set_new_norms(Net<float>& net, const std::vector<std::int32_t>& source) {
  for (const ParamTensor& tensor : net.layout.tensors) {
    const auto axis = static_cast<std::size_t>(tensor.out_axis);
    if (tensor.init != InitRule::ones || tensor.axes[axis].group != kInputs) continue;
    for (std::size_t i = 0; i < tensor.count; ++i)
      if (source[i % source.size()] == kFreshUnit) net.copy(0)[tensor.offset + i] = 1;
  }
}

Net<float> with_new_inputs(const kern::Kernels<float>& kernels, const Net<float>& from,
                           const ModelSpec& to, const std::vector<std::int32_t>& inputs) {
  const auto units = static_cast<std::size_t>(units_of(to, kInputs));
  const auto before = units_of(from.spec(), kInputs);
  const bool fits = inputs.size() == units &&
                    std::ranges::all_of(inputs, [&](std::int32_t i) { return i < before; });
  if (!fits)
    throw base::Error(base::Errc::study, "a continuation is of other inputs than the network's");
  Net<float> net = regroup(kernels, from, to, {.group = kInputs, .source = inputs});
  set_new_norms(net, inputs);
  return net;
}

Net<float> with_new_outputs(const kern::Kernels<float>& kernels, const Net<float>& from,
                            const ModelSpec& to, std::uint64_t seed) {
  const std::string group = output_group(to);
  const std::int32_t before = units_of(from.spec(), output_group(from.spec()));
  UnitMap map{group,
              std::vector<std::int32_t>(static_cast<std::size_t>(units_of(to, group)), kFreshUnit)};
  std::iota(map.source.begin(), map.source.begin() + before, 0);
  Net<float> net = regroup(kernels, from, to, map);
  std::vector<std::int32_t> fresh(map.source.size() - static_cast<std::size_t>(before));
  std::iota(fresh.begin(), fresh.end(), before);
  Workspace workspace;
  draw_units(ReshapeContext<float>{kernels, workspace}, net, group, fresh, seed);
  return net;
}

/// Outputs in another unit.
void scale_outputs(Net<float>& net, const Continuation& how) {
  const auto last = static_cast<std::int32_t>(net.spec().layers.size() - 1);
  const std::size_t outputs = how.factor.size();
  for (const ParamTensor& tensor : net.layout.tensors) {
    if (tensor.layer != last) continue;
    const bool bias = tensor.role == ParamRole::bias;
    if (tensor.dims[static_cast<std::size_t>(tensor.out_axis)] !=
        static_cast<std::int32_t>(outputs))
      throw base::Error(base::Errc::study, "a continuation is of other outputs than the network's");
    // The axis of the units is the last one.
    for (std::size_t i = 0; i < tensor.count; ++i) {
      float& weight = net.copy(0)[tensor.offset + i];
      weight = static_cast<float>(weight * how.factor[i % outputs] +
                                  (bias ? how.shift[i % outputs] : 0));
    }
  }
}

}  // namespace

ModelSpec continued_spec(const ModelSpec& model, const Shape& input, std::int64_t outputs) {
  const std::int64_t before = output_shape(model).elements();
  if (outputs < before)
    throw base::Error(base::Errc::study, "expected a loss with " + std::to_string(before) +
                                             " outputs, as the model has; that of `train` has " +
                                             std::to_string(outputs));
  ModelSpec spec = with_inputs(model, input);
  return outputs == before ? spec : complete(resized(spec, output_group(spec), outputs));
}

ParamSlab::Header continued_header(const ParamSlab::Header& model, const ModelSpec& spec,
                                   const Choice& optimizer, bool keeps_optimizer) {
  ParamSlab::Header header = slab_header(spec, optimizer);
  const bool grows = output_shape(spec) != output_shape(model.spec);
  header.reshaped = model.reshaped || (keeps_optimizer && grows);
  return header;
}

ParamSlab continued(const kern::Kernels<float>& kernels, const ParamSlab& model,
                    const ParamSlab::Header& header, const Continuation& how, std::uint64_t seed) {
  Net<float> net = net_of(model);
  const ModelSpec fed = with_inputs(model.spec(), header.spec.input);
  if (!how.inputs.empty()) net = with_new_inputs(kernels, net, fed, how.inputs);
  if (output_shape(header.spec) != output_shape(fed))
    net = with_new_outputs(kernels, net, header.spec, seed);
  if (net.spec() != header.spec)
    throw base::Error(base::Errc::study,
                      "the model does not belong to the network that continues from it");
  ParamSlab out(header);
  if (!how.factor.empty()) {
    Net<float> own = Net<float>::empty(net.header);
    std::ranges::copy(net.numbers.all(), own.numbers.all().begin());
    own.units = net.units;
    own.state = net.state;
    scale_outputs(own, how);
    net = std::move(own);
  }
  std::ranges::copy(net.copy(0), out.weights().begin());
  UnitState units = net.units;
  if (how.keeps_optimizer) {
    if (model.header().optimizer != header.optimizer)
      throw base::Error(base::Errc::study, "expected the optimizer " + model.header().optimizer +
                                               ", whose state the model has");
    for (int i = 0; i < std::min(net.header.slots, header.slots); ++i)
      std::ranges::copy(net.copy(i + 1), out.slot(i).begin());
    out.state() = net.state;
  } else {
    for (UnitState::Axis& axis : units.axes) std::ranges::fill(axis.births, 0);
  }
  if (header.reshaped) out.set_units(units);
  return out;
}

}  // namespace nn
