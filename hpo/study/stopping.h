#pragma once
// What a checked file says about its stopping rule, or the rules that it combines.

#include <cstdint>
#include <optional>
#include <span>

#include "hpo/space/option.h"
#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo::study {

/// The chosen kind with the options that its registry knows; keys of the study file such as `unit`
/// are no options.
[[nodiscard]] Chosen read_chosen(const Node& node, std::span<const KindInfo> infos);

/// The rule and what it counts in. Throws a Fault where combined rules do not agree about it.
void read_stopping(StudySpec& study, const Node& root);

/// The step at which a program ends by itself, if a rule says so.
[[nodiscard]] std::optional<std::int64_t> step_of_end(const Node& root);

/// Whether a word of the rule, or of one that it combines, may be `pause`.
[[nodiscard]] bool rule_pauses(const Chosen& rule);

/// What depends on other parts of the study. Throws a Fault.
void check_stopping(const StudySpec& study, const Node& root);

}  // namespace hpo::study
