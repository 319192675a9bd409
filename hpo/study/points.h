#pragma once
// Points of the search space that a study file names.

#include <vector>

#include "hpo/space/space.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// The maps from parameter to value of a list such as `try_first`; a map need not name every
/// parameter. Throws a StudyError at the place of a name that is no parameter, of a value that its
/// parameter cannot take, of a parameter whose condition the map does not meet, and of a map with
/// whose values no point is allowed.
[[nodiscard]] std::vector<Params> read_points(const Node& list, const Space& space);

}  // namespace hpo::study
