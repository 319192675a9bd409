#pragma once
// How the learning rate of a trial follows its batch size, so that a search over batch sizes
// compares each at a rate that suits it.

#include <optional>
#include <string>

#include "hpo/study/spec.h"

namespace hpo::study {

/// Returns the factor by which a trial's rates are multiplied; 1 without a rule. Throws a
/// StudyError if the rule lacks its `base_batch`.
[[nodiscard]] double rate_factor(const TrainRows& train, const Params& params);

/// Throws a StudyError if one of `rate_rule` and `base_batch` stands without the other.
void check_rate_rule(const StudySpec& study);

/// Returns true if the rate of every trial has its full height in the first step.
[[nodiscard]] bool begins_at_full_height(const TrainRows& train);

/// Returns a sentence if some trial's rate is raised in proportion to its batch, and its schedule
/// does not begin below that rate; else nothing.
[[nodiscard]] std::optional<std::string> note_on_rate_rule(const StudySpec& study);

}  // namespace hpo::study
