#pragma once
// How a solver searches: a sampler and a stopping rule with the defaults of their options.

#include <cstdint>
#include <string>

#include "hpo/solver/problem.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What proposes and what stops, by the words of a study file.
struct SolverMethod {
  std::string sampler = "tpe";
  std::string rule = "none";
};

/// Throws base::Error (usage) with the nearest known word for a method that is none or cannot work
/// here, and for a rule that is none.
void check_method(const SolverMethod& method);

/// The problem as a study. Throws what check_method does, and where the sampler cannot work on the
/// problem's space or values.
[[nodiscard]] StudySpec study_of(const SolverProblem& problem, std::uint64_t seed,
                                 const SolverMethod& method);

}  // namespace hpo
