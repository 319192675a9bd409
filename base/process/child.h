// A child of this process from its start to its end, with nothing left of it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "base/file.h"
#include "base/process/launch.h"
#include "base/process/supervision.h"

namespace base {

class ChildSupervision final : public Supervision {
 public:
  /// `process`: a child that nobody else waits for. With its own group, all signals are for the
  /// group, else for the process alone.
  explicit ChildSupervision(pid_t process, Group group = Group::own,
                            const ProcessLimits& limits = {});
  /// Kills a process that is not finished: it must not outlive an exception.
  ~ChildSupervision() override;

  /// After serve(), up to which the number of the process is its own. Kills what is left of its
  /// group where it has one, and takes the rest of what it printed.
  ProcessOutcome finish();

  /// The resources that it took, and those of its children that it waited for. After finish().
  [[nodiscard]] const rusage& used() const { return used_; }

 private:
  [[nodiscard]] bool is_over() override;
  void ask_to_end() override;
  void kill_all() override;
  [[nodiscard]] Duration rest(Moment here) const override;
  int reap();

  pid_t process_;
  pid_t target_;  ///< of signals
  File ended_;    ///< readable once the process has ended; none where the system has no such file
  rusage used_{};
  bool reaped_ = false;
};

}  // namespace base
