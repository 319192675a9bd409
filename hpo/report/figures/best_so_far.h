#pragma once
// How the search went on.

#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::figures {

/// For each trial the best value up to it: of complete trials, and where none is complete of all
/// that did not fail; trials that break a bound do not count. NaN before the first one.
[[nodiscard]] std::vector<double> best_so_far(const report::Gathered& study);

}  // namespace hpo::figures
