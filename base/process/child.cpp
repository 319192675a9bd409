#include "base/process/child.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace base {

namespace {

/// From look to look for its end, where nothing tells of it.
constexpr Duration kLook = std::chrono::milliseconds(20);

}  // namespace

ChildSupervision::ChildSupervision(pid_t process, Group group, const ProcessLimits& limits)
    : Supervision(limits),
      process_(process),
      target_(group == Group::own ? -process : process),
      ended_(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))) {
  watch(ended_.fd(), POLLIN, [] {});
}

ChildSupervision::~ChildSupervision() {
  if (reaped_) return;
  kill_all();
  (void)reap();
}

ProcessOutcome ChildSupervision::finish() {
  if (target_ != process_) kill_all();
  const int status = reap();
  drain();
  return outcome(status);
}

bool ChildSupervision::is_over() {
  siginfo_t info{};
  const int found =
      ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == process_ || (found != 0 && errno != EINTR);
}

void ChildSupervision::ask_to_end() {
  ::kill(target_, SIGTERM);
  ::kill(target_, SIGCONT);
}

void ChildSupervision::kill_all() { ::kill(target_, SIGKILL); }

Duration ChildSupervision::rest(Moment here) const {
  return ended_ ? Supervision::rest(here) : kLook;
}

int ChildSupervision::reap() {
  int status = 0;
  while (::wait4(process_, &status, 0, &used_) < 0 && errno == EINTR) continue;
  reaped_ = true;
  return status;
}

}  // namespace base
