#pragma once
// The parameters of a study on disk, and what they mattered to each metric that it searches for.

#include <vector>

#include "hpo/importance/of_study.h"
#include "hpo/log/study_reader.h"
#include "hpo/space/space.h"

namespace cli {

/// The space of a study on disk; its data and its program may be gone.
[[nodiscard]] hpo::Space space_of(const hpo::StudyReader& study);

/// One entry a metric, the first metric first.
[[nodiscard]] std::vector<hpo::MetricImportance> importances_of(const hpo::StudyReader& study);

}  // namespace cli
