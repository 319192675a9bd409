#include "nn/layers/layer.h"

#include <utility>

namespace nn {

std::vector<ParamTensor> Layer::params(const LayerSpec&, const Flow&) const { return {}; }

std::uint64_t Layer::flops(const LayerSpec&, const Flow&) const { return 0; }

FieldInfo activation_field(std::string default_value) {
  return {.name = "activation",
          .type = FieldType::word,
          .choices = {"none", "relu", "tanh"},
          .value = std::move(default_value),
          .doc = "Function applied to every output."};
}

FieldInfo norm_epsilon_field() {
  return {
      .name = "epsilon", .min = 1e-12, .max = 1, .value = 1e-5, .doc = "Added to the variance."};
}

kern::Activation activation_of(const Fields& fields) {
  const std::string& name = word(fields, "activation");
  if (name == "relu") return kern::Activation::relu;
  return name == "tanh" ? kern::Activation::tanh : kern::Activation::none;
}

InitRule init_for(kern::Activation activation) {
  return activation == kern::Activation::relu ? InitRule::he : InitRule::glorot;
}

}  // namespace nn
