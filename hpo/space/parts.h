#pragma once
// What of a space no forbidden combination ties to the rest.

#include <cstddef>
#include <vector>

#include "hpo/space/space.h"

namespace hpo {

/// Parameters that forbidden combinations tie together, with what their conditions hang on. Whether
/// a point is allowed can be told of each part by itself, and their allowed shares multiply.
struct SpacePart {
  Space space;                      ///< with at least one combination
  std::vector<std::size_t> places;  ///< of its parameters among those of the whole
};

/// The parts of a space; what no combination names is in none.
[[nodiscard]] std::vector<SpacePart> parts_of(const Space& space);

}  // namespace hpo
