#pragma once
// kurobako's solver protocol (github.com/optuna/kurobako): one JSON object a line, in both
// directions.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hpo/solver/solver.h"

namespace hpo {

/// Several solvers of one method at once. Not thread-safe.
class SolverSession {
 public:
  /// Throws as check_method does.
  explicit SolverSession(SolverMethod method);

  /// The first line: who we are and what we can do.
  [[nodiscard]] std::string greeting() const;

  /// The answer to a line, without its end; none where the protocol has none. What goes wrong, a
  /// line that is no message included, is answered with ERROR_REPLY; a problem that cannot be
  /// solved at its first call.
  [[nodiscard]] std::optional<std::string> answer(std::string_view line);

 private:
  struct Slot {
    std::optional<Solver> solver;
    std::string problem;  ///< why there is none
  };

  [[nodiscard]] std::optional<std::string> answer_to(const base::Json& message);
  void create(const base::Json& message);
  [[nodiscard]] Solver& solver_of(const base::Json& message);
  [[nodiscard]] std::string ask(const base::Json& message);
  [[nodiscard]] std::string tell(const base::Json& message);

  SolverMethod method_;
  std::map<std::uint64_t, Slot> solvers_;
};

}  // namespace hpo
