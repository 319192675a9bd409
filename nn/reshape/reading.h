#pragma once
// A layer that reads the units of a group, as a matrix: the sums of its units are [x, 1] W.

#include <cstddef>
#include <vector>

#include "nn/reshape/net.h"

namespace nn {

/// One dense layer or convolution that reads a group. Columns are its inputs (a convolution: the
/// pixels under its kernel), numbered as in LayerInputs; the last one is the bias.
class Reader {
 public:
  Reader(const ParamLayout& layout, const GroupAxis& axis);

  [[nodiscard]] std::size_t layer() const { return layer_; }
  /// Indices of its weight and its bias in ParamLayout::tensors.
  [[nodiscard]] std::size_t weight() const { return weight_tensor_; }
  [[nodiscard]] std::size_t bias() const { return bias_tensor_; }
  /// Columns without the bias's; units of the layer.
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  /// The unit of the group behind a column.
  [[nodiscard]] std::size_t unit(std::size_t column) const { return column % units_; }
  /// Where the weight from a column to an output lies in a copy of the weights; column inputs() is
  /// the bias.
  [[nodiscard]] std::size_t element(std::size_t column, std::size_t output) const {
    if (column == inputs_) return bias_ + output;
    return weight_ + (outputs_first_ ? output * inputs_ + column : column * outputs_ + output);
  }

 private:
  std::size_t layer_ = 0, inputs_ = 0, outputs_ = 0, units_ = 0;
  std::size_t weight_tensor_ = 0, bias_tensor_ = 0;
  std::size_t weight_ = 0, bias_ = 0;
  bool outputs_first_ = false;
};

/// All readers of a group, in the order of their layers.
[[nodiscard]] std::vector<Reader> readers_of(const ModelSpec& spec, const std::string& group);

}  // namespace nn
