#pragma once
// Asking the process that drives a study to end.

#include <cstdint>

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

/// Sends the driver of the study in `folder` what Ctrl-C would, and waits at most `patience` for
/// its end. Throws base::Error: locked, when the driver is on another machine, which no signal
/// reaches, or belongs to another user; storage, when nobody can tell who drives it.
[[nodiscard]] Stopping stop_driver(const base::Path& folder, double patience);

}  // namespace hpo
