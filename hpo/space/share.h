#pragma once
// How much of a space its forbidden combinations leave.

#include "hpo/space/space.h"

namespace hpo {

/// The share of 10,000 points, drawn from the space as if nothing were forbidden, that is allowed;
/// of parameters that no combination ties together the product of their shares. Where none of the
/// 10,000 is, the least share that draws could tell from nothing; 0 only if there is no allowed
/// point (see filled), or, where that search gave up, if a finite space has none or up to 1,000,000
/// draws found none. The same on every machine.
[[nodiscard]] double allowed_share(const Space& space);

/// Whether allowed_share is above 0: the first allowed point tells.
[[nodiscard]] bool leaves_some(const Space& space);

}  // namespace hpo
