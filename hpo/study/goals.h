#pragma once
// The metrics that a study searches for, and their bounds.

#include <cstddef>
#include <string_view>
#include <vector>

#include "hpo/study/spec.h"
#include "hpo/study/study_error.h"

namespace hpo::study {

/// Returns all metrics that are searched for, in the order of the file.
[[nodiscard]] std::vector<Metric> metrics_of(const StudySpec& study);

/// Returns the position of a key of the i-th metric.
[[nodiscard]] Position place_of_metric(const StudySpec& study, std::size_t i, std::string_view key);

/// Throws a StudyError for metrics that contradict each other or the rest of the study.
void check_goals(const StudySpec& study);

}  // namespace hpo::study
