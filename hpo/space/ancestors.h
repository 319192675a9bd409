#pragma once
// What a parameter's existence hangs on.

#include <cstddef>
#include <vector>

#include "hpo/space/space.h"

namespace hpo {

/// The parameter at `at`, and all that its conditions hang on, theirs included; each once.
[[nodiscard]] std::vector<std::size_t> with_ancestors(const Space& space, std::size_t at);

}  // namespace hpo
