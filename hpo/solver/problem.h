#pragma once
// What a solver is to solve: kurobako's problem as a space of ours.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "hpo/solver/constraint.h"
#include "hpo/space/space.h"

namespace hpo {

/// A problem: minimise its values at the last step.
struct SolverProblem {
  Space space;
  /// For each parameter: when it exists, where a Space cannot say it (alternatives over several
  /// parameters); the space has such a parameter at all points.
  std::vector<std::optional<Constraint>> masks;
  std::int64_t steps = 1;   ///< where an evaluation ends
  std::size_t metrics = 1;  ///< values of a trial

  /// What the protocol writes for the parameters of a point: numbers, the index of a choice,
  /// nothing for a parameter that does not exist.
  [[nodiscard]] std::vector<std::optional<double>> written(const Params& params) const;
};

/// Reads `params_domain`, `values_domain`, `steps`. Throws base::Error naming the parameter and
/// what was expected: for a member that is missing or of another type, an empty range, a name that
/// repeats, a script that is no comparison, no value.
[[nodiscard]] SolverProblem read_problem(const base::Json& problem);

}  // namespace hpo
