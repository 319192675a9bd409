#pragma once
// What `train.late` and `train.staleness` cannot be used with, and when they need a warm-up.

#include <optional>
#include <string>

#include "hpo/study/spec.h"

namespace hpo::study {

/// Throws a StudyError if the two stand together, or staleness with something that cuts epochs.
void check_lateness(const StudySpec& study);

/// Throws base::Error (study) if trainings of the study do not repeat.
void require_repeatable(const StudySpec& study);

/// Returns a sentence if gradients may be several updates late and no trial begins with a low rate;
/// else nothing.
[[nodiscard]] std::optional<std::string> note_on_staleness(const StudySpec& study);

}  // namespace hpo::study
