#include "nn/reshape/reading.h"

#include "nn/reshape/anatomy.h"

namespace nn {

Reader::Reader(const ParamLayout& layout, const GroupAxis& axis) {
  const ParamTensor& weight = layout.tensors[static_cast<std::size_t>(axis.tensor)];
  layer_ = static_cast<std::size_t>(weight.layer);
  outputs_ = static_cast<std::size_t>(weight.dims[static_cast<std::size_t>(weight.out_axis)]);
  inputs_ = weight.count / outputs_;
  units_ = static_cast<std::size_t>(weight.axes[static_cast<std::size_t>(axis.axis)].units);
  weight_ = weight.offset;
  outputs_first_ = weight.out_axis == 0;
  weight_tensor_ = static_cast<std::size_t>(axis.tensor);
  for (std::size_t t = 0; t < layout.tensors.size(); ++t) {
    const ParamTensor& tensor = layout.tensors[t];
    if (tensor.layer != weight.layer || tensor.role != ParamRole::bias) continue;
    bias_tensor_ = t;
    bias_ = tensor.offset;
  }
}

std::vector<Reader> readers_of(const ModelSpec& spec, const std::string& group) {
  const ParamLayout layout = param_layout(spec);
  std::vector<Reader> out;
  for (const GroupAxis& axis : readers(spec, group)) out.emplace_back(layout, axis);
  return out;
}

}  // namespace nn
