#pragma once
// A study without a log behind two calls: ask for work, tell what came of it.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hpo/search/study_machine.h"
#include "hpo/solver/method.h"
#include "hpo/solver/problem.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What to do next with a trial: evaluate it up to `next_step`, or forget it.
struct SolverWork {
  std::uint64_t trial = 0;
  std::vector<std::optional<double>> params;  ///< as SolverProblem::written
  std::optional<std::int64_t> next_step;
  bool fresh = false;  ///< it is a new trial
};

/// A pure function of (seed, problem, method, ordered calls). Not thread-safe.
class Solver {
 public:
  /// Throws base::Error where the sampler cannot work on the problem's space.
  Solver(SolverProblem problem, std::uint64_t seed, const SolverMethod& method);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// In this order: a stopped trial to forget, one to go on with, a new one, which will be called
  /// `next_trial`. Several trials may be open. The protocol has no word for a space that is used
  /// up: its points are proposed again, in the order in which they were.
  [[nodiscard]] SolverWork ask(std::uint64_t next_trial);

  /// A trial's values at `step`; none: it cannot be evaluated. Throws base::Error for a trial that
  /// is not open, for a step that it was at already or beyond the problem's last, and for more or
  /// fewer values than the problem has.
  void tell(std::uint64_t trial, const std::vector<double>& values, std::int64_t step);

 private:
  struct Trial {
    std::uint64_t name = 0;
    Params params;
    std::int64_t step = 0;   ///< evaluated up to here
    std::int64_t asked = 0;  ///< the next step that the rule wants to see
    bool open = false;       ///< somebody evaluates it
  };

  [[nodiscard]] SolverWork begin(std::uint64_t name, Created created);
  [[nodiscard]] Created next_again();
  [[nodiscard]] SolverWork work_on(std::size_t trial);
  [[nodiscard]] SolverWork forget(std::size_t trial) const;
  void end(std::size_t trial, TrialState state);

  SolverProblem problem_;
  StudySpec study_;  ///< the problem's
  StudyMachine machine_;
  std::vector<Trial> trials_;
  std::map<std::uint64_t, std::size_t> numbers_;  ///< by name
  std::deque<std::size_t> stopped_, going_on_;
  std::size_t again_ = 0;  ///< trial whose point comes next where the sampler has no more
};

}  // namespace hpo
