#pragma once
// A study as a tree, and trees as text.

#include <string>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo::study {

/// Returns the study as the tree that a Checker would make of its file.
[[nodiscard]] Node written(const StudySpec& study);

/// Returns a tree as a study file.
[[nodiscard]] std::string yaml_of(const Node& root);

/// Returns a value on one line: `{min: 1, max: 9}`.
[[nodiscard]] std::string flow(const Node& node);

}  // namespace hpo::study
