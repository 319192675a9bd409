#pragma once
// Random numbers for samplers.

#include <cstdint>

#include "base/random.h"

namespace hpo {

/// A named sequence of random numbers, the same on every machine (Philox; see
/// base/random.h).
using Stream = base::Stream;

/// The numbers of one proposal: named by the study's seed and the ordinal of the proposal, never by
/// time or place.
[[nodiscard]] inline Stream proposal_stream(std::uint64_t seed, std::uint64_t ordinal) {
  return Stream(seed, "proposal", ordinal);
}

}  // namespace hpo
