#pragma once
// Which trials of a study begin with the same training.

#include "hpo/study/spec.h"

namespace hpo {

/// Whether trials that differ in one parameter may train alike up to some epoch: it reaches nothing
/// but how many epochs a trial has, its schedule, how its network changes, or which cores it takes.
/// Then what one trial made, others ask for.
[[nodiscard]] bool trials_begin_alike(const StudySpec& study);

}  // namespace hpo
