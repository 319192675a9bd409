#pragma once
// The `adapt` section of one trial.

#include <cstdint>

#include "hpo/study/node.h"
#include "nn/adapt/policy.h"
#include "nn/model/spec.h"

namespace hpo::study {

/// A checked operation without references, fields as they were written.
[[nodiscard]] nn::Operation read_operation(const Node& node);

/// A checked `adapt` without references, complete, for a network that is `model` at its birth and
/// trains `epochs`, or before that was trained with other data (`continued`); `max_weights` 0: no
/// bound. Throws a StudyError where the policy can't do to this
/// network what it says.
[[nodiscard]] nn::Adaptation read_adaptation(const Node& adapt, const nn::ModelSpec& model,
                                             std::int64_t epochs, std::int64_t max_weights,
                                             bool continued);

}  // namespace hpo::study
