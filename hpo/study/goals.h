#pragma once
// What a study searches for, in its file: the metrics and their bounds.

#include <vector>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo::study {

/// The maps of the metrics, first to last; none where the file has none.
[[nodiscard]] std::vector<const Node*> metric_nodes(const Node& root);
[[nodiscard]] std::vector<Node*> metric_nodes(Node& root);

/// Reads them into the study. Throws a Fault for metrics and bounds that contradict each other.
void read_goals(StudySpec& study, const Node& checked);

}  // namespace hpo::study
