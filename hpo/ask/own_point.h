#pragma once
// Points of the space that whoever asks brings along.

#include "hpo/space/space.h"

namespace hpo {

/// `given` as the parameters have it: ints as floats where a float is meant, in the order of the
/// space. It need not name every parameter. Throws base::Error (usage) for a name that is no
/// parameter, a value that its parameter cannot take, a parameter whose condition is not met, and a
/// combination that is forbidden.
[[nodiscard]] Params own_point(const Params& given, const Space& space);

}  // namespace hpo
