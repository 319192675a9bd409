#pragma once
// Which points the next trials get before the sampler is asked: those of the study file, and what
// was brought along while the study runs.

#include <cstdint>
#include <string>
#include <vector>

#include "hpo/log/event_log.h"
#include "hpo/study/spec.h"

namespace hpo {

/// Keeps StudySpec::try_first, which Search reads trial by trial. What was brought along is a fact
/// of the log, in one commit with what it changes. Not thread-safe.
class FirstPoints {
 public:
  /// `study` and `log` outlive it. Trials of another tool, with which a log may have begun, take
  /// none of the points.
  FirstPoints(StudySpec& study, EventLog& log);

  /// How many points wait, where `created` trials were.
  [[nodiscard]] std::size_t waiting(std::uint64_t created) const;
  /// The next trial, number `created`, gets `point`; what waits comes behind it.
  void put_next(std::uint64_t created, const Params& point);
  /// Undoes it: the trial was not made.
  void take_back(std::uint64_t created);
  /// Puts down what put_next changed, where it matters.
  void note_next(std::uint64_t created);
  /// `point` comes behind all that wait. The same ticket counts once. Throws base::Error (usage)
  /// where too many wait, or all trials of limits.trials are spoken for.
  void append(std::uint64_t created, const Params& point, const std::string& ticket);

 private:
  void reach(std::uint64_t created);
  void note(std::uint64_t from);

  StudySpec& study_;
  EventLog& log_;
  std::vector<std::string> tickets_;  ///< that were heard last
};

}  // namespace hpo
