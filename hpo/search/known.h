#pragma once
// A trial of an earlier study that a search knows from the start.

#include <cstdint>
#include <optional>

#include "hpo/log/event.h"
#include "hpo/space/params.h"
#include "hpo/space/trial_state.h"

namespace hpo {

/// With the values that this study's space has.
struct Known {
  Params params;
  std::optional<double> value;  ///< the metric; none: it failed before its first report
  std::int64_t step = 0;        ///< of its last report
  TrialState state = TrialState::complete;
  Metrics metrics = {};  ///< of its last report: what bounds of this study are on may be among them
  bool operator==(const Known&) const = default;
};

}  // namespace hpo
