#include "nn/optimizers/optimizer.h"

#include <utility>

namespace nn {

FieldInfo lr_field(double value) {
  return {.name = "lr",
          .type = FieldType::real,
          .min = 0,
          .value = value,
          .doc =
              "Learning rate; a list of [epoch, value] pairs gives it piece by piece, each value "
              "from its epoch on, the first from 0.",
          .min_excluded = true,
          .course = true};
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

FieldInfo momentum_field() {
  return decay_field("momentum", 0.0, "Share of the last step that is carried on.");
}

FieldInfo epsilon_field() {
  // Smaller ones are 0 where denormal floats are.
  return {.name = "epsilon",
          .type = FieldType::real,
          .min = 1e-37,
          .value = 1e-8,
          .doc = "Added to the divisor."};
}

FieldInfo weight_decay_field() {
  return {.name = "weight_decay",
          .type = FieldType::real,
          .min = 0,
          .value = 0.0,
          .doc =
              "L2 penalty: this times the weight is added to its gradient; biases and "
              "normalisations are weights, too."};
}

FieldInfo decoupled_decay_field(double value) {
  return {.name = "weight_decay",
          .type = FieldType::real,
          .min = 0,
          .value = value,
          .doc =
              "Times the learning rate: the share of every weight that a step takes away, of "
              "biases and normalisations, too."};
}

}  // namespace nn
