#pragma once
// Ctrl-C and friends.

#include <atomic>

namespace hpo {

/// While it lives, SIGINT and SIGTERM ask the driver to stop and wake it, as do SIGUSR1 and
/// SIGUSR2, by which schedulers say that a job's time is nearly over; another one, more than 0.3 s
/// later, ends the process at once with exit code 75 (the log is consistent at every instant).
/// SIGHUP and SIGPIPE are ignored, so a closed terminal does not end a sweep. One at a time. The
/// handlers only read a clock and write to atomics and a pipe.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Not 0: somebody asked to stop. For RunOptions::interrupts.
  [[nodiscard]] const std::atomic<int>* asked() const noexcept;
};

}  // namespace hpo
