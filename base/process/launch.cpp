#include "base/process/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace base {

namespace {

/// What parent and child share until exec.
struct Shared {
  const Launch& what;
  pid_t parent;
  sigset_t blocked{};       ///< signals, by the calling thread
  volatile int reason = 0;  ///< why the child could not start
};

constexpr int kMostFiles = 16;

// Headers older than Linux 5.11 do not have these two.
constexpr long kCloseRange = 436;
constexpr unsigned kAtExec = 1U << 2U;

/// Leaves the child the files below this number. Kernels older than 5.11 must be asked for each.
void close_from(int first) {
  if (::syscall(kCloseRange, first, ~0U, kAtExec) == 0) return;
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  for (int file = first; static_cast<rlim_t>(file) < most.rlim_cur && file < (1 << 16); ++file)
    ::fcntl(file, F_SETFD, FD_CLOEXEC);
}

/// Gives the child its files by number. They are moved out of the way first: one may lie where
/// another one goes.
bool place_files(std::span<const int> files) {
  int moved[kMostFiles];
  const int count = static_cast<int>(files.size());
  for (int i = 0; i < count; ++i) {
    moved[i] = ::fcntl(files[static_cast<std::size_t>(i)], F_DUPFD_CLOEXEC, kMostFiles);
    if (moved[i] < 0) return false;
  }
  for (int i = 0; i < count; ++i) {
    if (::dup2(moved[i], i) != i) return false;
  }
  close_from(count);
  return true;
}

void set_signals(const Shared& shared) {
  const bool ours = shared.what.signals == Signals::ours;
  // A handler of ours must not run on memory that is not the child's own.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (ours && ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      continue;
    action = {};
    // Who starts a child waits until it has begun. A child that a terminal stops before would hold
    // its parent up, which cannot be stopped meanwhile: what came so far is forgotten.
    if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) {
      action.sa_handler = SIG_IGN;
      ::sigaction(signal, &action, nullptr);
    }
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, ours ? &shared.blocked : &none, nullptr);
}

[[noreturn]] void become(Shared& shared) {
  const Launch& what = shared.what;
  if (what.group == Group::own) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, what.death_signal);
  const bool good = ::getppid() == shared.parent && place_files(what.files);
  if (what.open_files != nullptr) ::setrlimit(RLIMIT_NOFILE, what.open_files);
  if (good && (what.folder == nullptr || ::chdir(what.folder) == 0)) {
    set_signals(shared);
    ::execve(what.path, what.words, what.environment);
  }
  shared.reason = errno;
  ::_exit(127);
}

/// vfork, not fork: what libraries do at a fork (OpenBLAS ends its threads) must not happen beside
/// workers that compute, and nothing is copied. posix_spawn sets no death signal and no limits.
[[gnu::noinline]] pid_t launch_child(Shared& shared) {
  const pid_t child = ::vfork();
  if (child == 0) become(shared);  // NOLINT(clang-analyzer-unix.Vfork): system calls alone
  return child;
}

}  // namespace

pid_t launch(const Launch& what) {
  Shared shared{.what = what, .parent = ::getpid()};
  if (what.files.size() > kMostFiles) return errno = EINVAL, -1;
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &shared.blocked);
  pid_t child = launch_child(shared);
  int reason = child < 0 ? errno : shared.reason;
  if (child > 0 && reason != 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    child = -1;
  }
  ::pthread_sigmask(SIG_SETMASK, &shared.blocked, nullptr);
  errno = reason;
  return child;
}

}  // namespace base
