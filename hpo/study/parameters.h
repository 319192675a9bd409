#pragma once
// The `parameters` section and the search space.

#include "hpo/space/space.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// The space of a `parameters` section that a Checker has passed. Throws a StudyError at the place
/// of what makes no sense: bounds out of order, a log scale from 0, a condition that can never
/// hold...
[[nodiscard]] Space read_space(const Node& parameters);

/// What one would write to get this space, with nothing left to a default.
[[nodiscard]] Node space_node(const Space& space);

}  // namespace hpo::study
