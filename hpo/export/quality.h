#pragma once
// How good a candidate is, as fronts compare it.

#include <cmath>

#include "hpo/export/candidates.h"

namespace hpo {

[[nodiscard]] inline bool is_measured(const CandidateRow& row) {
  return !std::isnan(row.tried.loss);
}

/// Higher is better: the accuracy, where there is one, else the loss turned round.
[[nodiscard]] inline double quality_of(const CandidateRow& row) {
  return std::isnan(row.tried.accuracy) ? -row.tried.loss : row.tried.accuracy;
}

}  // namespace hpo
