#include "nn/unit_norms.h"

#include <algorithm>
#include <cmath>

#include "nn/reshape/anatomy.h"
#include "nn/reshape/operation.h"

namespace nn {
namespace {

UnitNumbers::Part part_of(const ParamTensor& tensor, std::int32_t axis) {
  const auto a = static_cast<std::size_t>(axis);
  kern::UnitBlock block{.outer = static_cast<std::size_t>(tensor.axes[a].repeat),
                        .units = static_cast<std::size_t>(tensor.axes[a].units),
                        .inner = 1};
  for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
    if (i < a) block.outer *= static_cast<std::size_t>(tensor.dims[i]);
    if (i > a) block.inner *= static_cast<std::size_t>(tensor.dims[i]);
  }
  return {tensor.offset, block};
}

}  // namespace

std::vector<UnitNumbers> unit_numbers(const ModelSpec& spec) {
  const ParamLayout layout = param_layout(spec);
  const std::vector<UnitGroup> groups = unit_groups(spec);
  std::vector<UnitNumbers> out;
  for (const std::string& layer : resizable_layers(spec)) {
    const std::string name = resizable_group(spec, layer);
    const UnitGroup& group = *std::ranges::find(groups, name, &UnitGroup::name);
    UnitNumbers numbers{
        .layer = layer, .units = static_cast<std::size_t>(group.units), .size = 0, .parts = {}};
    for (const GroupAxis& axis : group.axes) {
      const ParamTensor& tensor = layout.tensors[static_cast<std::size_t>(axis.tensor)];
      if (!trained(tensor.role)) continue;
      numbers.parts.push_back(part_of(tensor, axis.axis));
      numbers.size += tensor.count / numbers.units;
    }
    out.push_back(std::move(numbers));
  }
  return out;
}

template <class T>
std::vector<double> norms_of(const UnitNumbers& numbers, const T* weights) {
  std::vector<double> out(numbers.units);
  for (const UnitNumbers::Part& part : numbers.parts) {
    const kern::UnitBlock& b = part.block;
    for (std::size_t i = 0; i < b.outer * b.units * b.inner; ++i) {
      const auto w = static_cast<double>(weights[part.offset + i]);
      out[i / b.inner % b.units] += w * w;
    }
  }
  for (double& norm : out) norm = std::sqrt(norm);
  return out;
}

std::vector<UnitNorms> unit_norms(const ParamSlab& net) {
  std::vector<UnitNorms> out;
  for (const UnitNumbers& numbers : unit_numbers(net.spec()))
    out.push_back({numbers.layer, norms_of(numbers, net.weights().data())});
  return out;
}

template std::vector<double> norms_of(const UnitNumbers&, const float*);
template std::vector<double> norms_of(const UnitNumbers&, const double*);

}  // namespace nn
