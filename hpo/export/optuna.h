#pragma once
// A study as a journal file that Optuna opens (JournalFileBackend of Optuna 4 and 5).

#include <string>

#include "hpo/log/study_reader.h"
#include "hpo/space/space.h"

namespace hpo {

/// One operation a line. Params, distributions, states, values and reports are the study's own;
/// other metrics become user attributes, what a trial is beyond each bound of `subject_to` its
/// constraints. A step beside scale log, which Optuna does not know, is
/// left out; a stopped trial is PRUNED, a trial that waits RUNNING. `asked`: the study's trials are
/// run by whoever asks; a value that was told at the end is none of their reports.
[[nodiscard]] std::string optuna_journal(const StudyReader& study, const Space& space,
                                         bool asked = false);

}  // namespace hpo
