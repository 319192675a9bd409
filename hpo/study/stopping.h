#pragma once
// What a checked file says about its stopping rule, or the rules that it combines.

#include <cstdint>
#include <optional>
#include <span>

#include "hpo/space/chosen.h"
#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo::study {

/// The chosen kind with the options that its registry knows; keys of the study file such as `unit`
/// are no options.
[[nodiscard]] Chosen read_chosen(const Node& node, std::span<const base::KindInfo> infos);

/// Fills in the rule, its unit and its metric. Throws a StudyError if combined rules do not agree.
void read_stopping(StudySpec& study);

/// The step at which a program ends by itself, if a rule says so.
[[nodiscard]] std::optional<std::int64_t> step_of_end(const StudySpec& study);

/// Whether a decision of the rule, or of one that it combines, may be `pause`.
[[nodiscard]] bool rule_pauses(const Chosen& rule);

/// Throws a StudyError if the rule and other rows contradict each other.
void check_stopping(const StudySpec& study);

}  // namespace hpo::study
