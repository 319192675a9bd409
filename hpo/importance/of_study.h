#pragma once
// What the parameters of a study on disk mattered.

#include <string>
#include <vector>

#include "hpo/importance/importance.h"
#include "hpo/log/trial_table.h"

namespace hpo {

/// Of the trials that ended with a value, those that failed left out; those that break a bound are
/// not among the best; `space` is the study's. See
/// importance_of.
[[nodiscard]] std::vector<Importance> importance_of(const Space& space,
                                                    const std::vector<TrialRow>& trials,
                                                    const Objective& objective);

/// [{"parameter": "lr", "share": 0.61, "trials": 60}, ...], one entry a line.
[[nodiscard]] std::string json_of(const std::vector<Importance>& importance);

}  // namespace hpo
