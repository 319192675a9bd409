#pragma once
// Allowed points of a space by construction, also where draws would not come upon one.

#include <optional>

#include "hpo/space/random.h"
#include "hpo/space/space.h"

namespace hpo {

/// What became of the search for an allowed point.
struct Filled {
  std::optional<Params> point = {};
  bool is_none = false;  ///< no allowed point has these values; otherwise the search gave up
};

/// A point that has all of `given`, whose conditions hold among themselves, and that is allowed:
/// Space::completed(given, base) where that is; else it keeps what it can of `base` and draws the
/// rest from `stream`. The same for the same stream on every machine. Milliseconds where it seldom
/// has to go back, a second or more before it gives up.
[[nodiscard]] Filled filled(const Space& space, const Params& given, const Params& base,
                            Stream& stream);

/// The same from the middle of the space, always in the same way: whether there is such a point.
[[nodiscard]] Filled filled(const Space& space, const Params& given);

/// An allowed point drawn from about the distribution of those that are allowed, however few: a
/// point found by filled, each of whose values was then drawn anew, many times, from those that
/// are allowed beside the others.
[[nodiscard]] Filled drawn(const Space& space, Stream& stream);

}  // namespace hpo
