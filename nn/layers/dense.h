#pragma once
// dense: y = act(x W + b). W is [in, units], b is [units].

#include "nn/layers/layer.h"

namespace nn {

/// A dense layer's fields, read out.
struct Dense {
  std::int32_t units = 0;
  kern::Activation activation = kern::Activation::none;
  [[nodiscard]] static Dense from(const Fields& fields);
};

[[nodiscard]] const Layer& dense_layer();

}  // namespace nn
