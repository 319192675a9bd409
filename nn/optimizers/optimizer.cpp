#include "nn/optimizers/optimizer.h"

#include <utility>

namespace nn {

FieldInfo lr_field(double value) {
  return {.name = "lr",
          .type = FieldType::real,
          .min = 0,
          .value = value,
          .doc =
              "Learning rate: a number, or a list of [epoch, value] pairs. Each value holds from "
              "its epoch on; the first epoch is 0.",
          .min_excluded = true,
          .piecewise = true};
}

FieldInfo decay_field(std::string name, double value, std::string doc) {
  return {.name = std::move(name),
          .type = FieldType::real,
          .min = 0,
          .max = 1,
          .value = value,
          .doc = std::move(doc),
          .max_excluded = true};
}

FieldInfo momentum_field(double value) {
  return decay_field("momentum", value, "Share of the last step that is added to the next one.");
}

FieldInfo epsilon_field(double value) {
  // Smaller ones are 0 where denormal floats are.
  return {.name = "epsilon",
          .type = FieldType::real,
          .min = 1e-37,
          .value = value,
          .doc = "Constant that is added to the divisor."};
}

FieldInfo weight_decay_field() {
  return {.name = "weight_decay",
          .type = FieldType::real,
          .min = 0,
          .value = 0.0,
          .doc =
              "L2 penalty: `weight_decay` times the weight is added to its gradient. Biases and "
              "normalization weights are included."};
}

FieldInfo decoupled_decay_field(double value) {
  return {.name = "weight_decay",
          .type = FieldType::real,
          .min = 0,
          .value = value,
          .doc =
              "Weight decay: every step takes away the share `lr` * `weight_decay` of every "
              "weight. Biases and normalization weights are included."};
}

}  // namespace nn
