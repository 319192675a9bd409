// Commutative and redux calls that later calls on the same value may still join.
#pragma once

#include <vector>

#include "runtime/core/task_info.h"

namespace rt::inline v0::detail {

/// Hangs on the version that the joined calls make together, until that is used in another way.
/// Driver thread only.
struct Open {
  Mode mode;  ///< commutative or redux
  const FoldOps* fold;
  Held base;                   ///< what the calls start from
  std::vector<Held> partials;  ///< redux: in the order of the calls
  bool pure = true;            ///< redux: all partials come from pure tasks
};

}  // namespace rt::inline v0::detail
