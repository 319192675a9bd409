#pragma once
// Policies that ask a program: how it is called, and what its answer comes to.

#include <cstdint>
#include <string>

#include "base/process/program.h"
#include "nn/adapt/policy.h"

namespace hpo {

/// The program of an adaptation with a question as its input. It finds TRELLIS_TRIAL and
/// OMP_NUM_THREADS in its environment.
[[nodiscard]] base::Program program_of(const nn::Adaptation& adaptation, std::string question,
                                       std::uint64_t trial, std::int64_t cpus);

/// The turn that the answer stands for. Throws TrialFailure in one line (program, what was wrong,
/// what was expected, the end of what it wrote to its error stream): cause timeout when it took too
/// long, killed when it died of a signal, else error.
[[nodiscard]] nn::Turn turn_of(const base::Program& program, const base::ProgramResult& result,
                               nn::Policy& policy, const nn::Situation& situation);

}  // namespace hpo
