#pragma once
// Where a trial's network comes from, read from what a study left on disk.

#include <string>

#include "hpo/log/lineage.h"
#include "hpo/log/study_reader.h"

namespace hpo {

/// The lineage of a trial of the study, from its log.
[[nodiscard]] Lineage lineage_of(const StudyReader& study, const TrialRow& trial);

/// `show RUN TRIAL --json`: the fields of trial_json, "importance" (JSON that is handed in:
/// {metric: {parameter: share}}) and "lineage", a list of {"trial", "epoch", "params", "change",
/// "value", "before"}: from which epoch on which trial's params trained it, what a reshape changed
/// on the way to it ("widen fc1 by 16", or null), the value in the end, and that of the network it
/// took the place of.
[[nodiscard]] std::string show_json(const StudyReader& study, const TrialRow& trial,
                                    const std::string& importance);

}  // namespace hpo
