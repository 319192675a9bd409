#pragma once
// What the parameters of a study on disk mattered to each metric that it searches for.

#include <vector>

#include "hpo/importance/of_study.h"
#include "hpo/log/study_reader.h"

namespace cli {

/// One entry a metric, the first metric first.
[[nodiscard]] std::vector<hpo::MetricImportance> importances_of(const hpo::StudyReader& study);

}  // namespace cli
