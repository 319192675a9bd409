#pragma once
// How much of a space its forbidden combinations leave.

#include "hpo/space/space.h"

namespace hpo {

/// The share of 10,000 points, drawn from the space as if nothing were forbidden, that is allowed;
/// of parameters that no combination ties together the product of their shares. Where none of the
/// 10,000 is, 0 only if a finite space has no point or 1,000,000 draws (fewer of more than two
/// parameters that hang together: 2,000,000 values) found none either; else the least share that
/// could be told from nothing. The same on every machine.
[[nodiscard]] double allowed_share(const Space& space);

/// Whether allowed_share is above 0: the first allowed point tells.
[[nodiscard]] bool leaves_some(const Space& space);

}  // namespace hpo
