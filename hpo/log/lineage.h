#pragma once
// Where a trial's network comes from.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/log/trial_row.h"

namespace hpo {

/// A part of a network's life that one trial gave it.
struct Stage {
  std::uint64_t trial = 0;
  Params params;
  std::int64_t from = 0;          ///< epochs that the network had been trained before
  std::string operations = "[]";  ///< that it went through first, as far as that was possible
  std::vector<Adapted> rounds;    ///< what changed, or could have changed, its shape since
  Checkpoint network;             ///< of the report that counts: the last one here, or the best
  std::optional<double> value;    ///< the same report's
  std::optional<double> before;   ///< value of the network that this one took the place of
};

/// A network's life from its birth, in order: one stage for each trial that it went through, the
/// last one's still going on or at its end. Never empty.
using Lineage = std::vector<Stage>;

}  // namespace hpo
