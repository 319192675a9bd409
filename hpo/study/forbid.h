#pragma once
// The `forbid` section.

#include <vector>

#include "hpo/space/space.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// `space` without the combinations of `list`. Throws a StudyError at the place of what makes no
/// sense: an unknown parameter, a clause that can never hold, a space of which nothing is left.
[[nodiscard]] Space without(const Node& list, const Space& space);

}  // namespace hpo::study
