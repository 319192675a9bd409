#pragma once
// Asking the process that drives a study to end.

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "hpo/log/study_lock.h"

namespace hpo {

enum class StopAnswer : std::uint8_t {
  idle,     ///< no process drives the study
  stopped,  ///< one did, and has ended
  still,    ///< one does, and has not ended in time
};

struct Stopping {
  StopAnswer answer = StopAnswer::idle;
  Holder driver;  ///< whom was asked; empty for `idle`
};

/// The file by which a driver that takes agents in is asked to end, from whatever machine. It stays
/// until the next driver begins.
[[nodiscard]] base::Path stop_wish(const base::Path& folder);

/// The number of the job of Slurm that was submitted to drive the study; nothing where none was, or
/// a driver has begun that is no such job.
[[nodiscard]] std::optional<std::string> submitted_driver(const base::Path& folder);
void note_submitted_driver(const base::Path& folder, const std::string& job);
void forget_submitted_driver(const base::Path& folder);

/// Asks the driver of the study in `folder` to end as Ctrl-C would, and waits at most `patience`
/// for that. Throws base::Error: locked, when the driver takes no agents in and is on another
/// machine, which no signal reaches, or belongs to another user; storage, when nobody can tell who
/// drives it.
[[nodiscard]] Stopping stop_driver(const base::Path& folder, double patience);

}  // namespace hpo
