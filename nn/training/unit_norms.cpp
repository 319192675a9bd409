#include "nn/training/unit_norms.h"

#include <algorithm>
#include <cmath>

#include "nn/reshape/anatomy.h"
#include "nn/reshape/numbers.h"
#include "nn/reshape/operation.h"

namespace nn {
namespace {

/// Adds the squares of a part, which lies in the program's memory.
template <class T>
void add_squares(const kern::UnitBlock& b, const T* x, std::vector<double>& squares) {
  for (std::size_t i = 0; i < b.outer * b.units * b.inner; ++i) {
    const auto w = static_cast<double>(x[i]);
    squares[i / b.inner % b.units] += w * w;
  }
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
      numbers.parts.push_back({tensor.offset, unit_block(tensor, axis.axis)});
      numbers.size += tensor.count / numbers.units;
    }
    out.push_back(std::move(numbers));
  }
  return out;
}

template <class T>
std::vector<double> norms_of(const kern::Kernels<T>& kernels, const UnitNumbers& numbers,
                             const T* weights) {
  std::vector<double> out(numbers.units);
  for (const UnitNumbers::Part& part : numbers.parts) {
    if (kernels.memory->own) {
      add_squares(part.block, weights + part.offset, out);
      continue;
    }
    std::vector<T> squares(numbers.units);
    kern::Exec exec;
    kernels.unit_squares(exec, part.block, weights + part.offset, squares.data());
    for (std::size_t u = 0; u < out.size(); ++u) out[u] += static_cast<double>(squares[u]);
  }
  for (double& norm : out) norm = std::sqrt(norm);
  return out;
}

std::vector<UnitNorms> unit_norms(const kern::Kernels<float>& kernels, const ParamSlab& net) {
  std::vector<UnitNorms> out;
  for (const UnitNumbers& numbers : unit_numbers(net.spec()))
    out.push_back({numbers.layer, norms_of(kernels, numbers, net.weights().data())});
  return out;
}

template std::vector<double> norms_of(const kern::Kernels<float>&, const UnitNumbers&,
                                      const float*);
template std::vector<double> norms_of(const kern::Kernels<double>&, const UnitNumbers&,
                                      const double*);

}  // namespace nn
