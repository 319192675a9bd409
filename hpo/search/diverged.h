#pragma once
// Reports that end a trial.

#include <cstdint>
#include <string>

#include "hpo/log/metrics.h"
#include "hpo/study/spec.h"

namespace hpo {

/// Says why a report ends its trial as diverged: a metric that is searched for is not a number, or
/// infinitely good, as what divides by 0 or takes its logarithm is. It would beat all others. Empty
/// where the trial goes on.
[[nodiscard]] std::string reason_diverged(const StudySpec& study, double value,
                                          const Metrics& metrics, std::int64_t step);

}  // namespace hpo
