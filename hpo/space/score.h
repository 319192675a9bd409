#pragma once
// What a report says about a trial, as samplers see it.

#include <utility>
#include <vector>

namespace hpo {

/// Lower is better in every number; one that is no number is the worst.
struct Score {
  explicit Score(double value, double broken = 0, std::vector<double> more = {})
      : loss(value), violation(broken), others(std::move(more)) {}

  double loss = 0;             ///< of the study's metric, the first of several
  double violation = 0;        ///< by how much bounds are broken, in sum; 0: none is
  std::vector<double> others;  ///< losses of the other metrics, in the study's order

  [[nodiscard]] bool feasible() const { return violation == 0; }
};

}  // namespace hpo
