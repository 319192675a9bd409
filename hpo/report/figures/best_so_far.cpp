#include "hpo/report/figures/best_so_far.h"

#include <cmath>

namespace hpo::figures {

std::vector<double> best_so_far(const report::Gathered& study) {
  std::vector<double> best;
  double now = NAN;
  for (const TrialRow& row : study.trials) {
    const bool counts = study.counts.complete > 0 ? row.state == TrialState::complete
                                                  : row.state != TrialState::failed;
    if (counts && row.value && std::isfinite(*row.value) &&
        study.objective.violation(row.metrics) <= 0 &&
        (std::isnan(now) || study.objective.better(*row.value, now)))
      now = *row.value;
    best.push_back(now);
  }
  return best;
}

}  // namespace hpo::figures
