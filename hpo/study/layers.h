#pragma once
// The `network` section of one trial as a model.

#include <cstdint>

#include "hpo/study/field.h"
#include "hpo/study/node.h"
#include "nn/fields.h"
#include "nn/model/spec.h"

namespace hpo::study {

/// The single values of a checked {type: NAME, field: value} without references, with the types of
/// `kind`.
[[nodiscard]] nn::Fields fields_of(const Node& node, const Kind& kind);

/// A checked list of layers without references as a complete model with its output layer; groups
/// that repeat are written out, a residual block becomes its two ends around its layers. Throws a
/// StudyError at the layer, or the field, that does not fit.
[[nodiscard]] nn::ModelSpec build_network(const Node& network, const nn::Shape& input,
                                          std::int64_t outputs);

}  // namespace hpo::study
