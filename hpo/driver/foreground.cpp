#include "hpo/driver/foreground.h"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/new_file.h"
#include "base/pipe.h"
#include "base/process/no_more.h"
#include "base/process/start.h"
#include "base/text.h"
#include "hpo/driver/start_failure.h"

namespace hpo {

namespace {

constexpr std::size_t kPipePiece = 64 * 1024;  ///< bytes; a pipe holds no more
constexpr int kLook = 20;                      ///< milliseconds from look to look for its end

static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler may touch it");
std::atomic<pid_t> program{0};

void hand_on(int signal) {
  const int before = errno;
  if (const pid_t process = program; process > 0) ::kill(process, signal);
  errno = before;
}

sigset_t set_of(std::span<const int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

constexpr std::array kHandedOn{SIGTERM, SIGHUP};
constexpr std::array kIgnored{SIGINT, SIGQUIT};

/// While it lives, no signal ends this process before its program; those to hand on wait until
/// there is one.
class Signals {
 public:
  Signals() {
    const sigset_t held = set_of(kHandedOn);
    ::pthread_sigmask(SIG_BLOCK, &held, &mask_);
    change(0, SIG_IGN, kIgnored);
    change(kIgnored.size(), hand_on, kHandedOn);
  }
  ~Signals() {
    end();
    for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// As they were blocked before.
  [[nodiscard]] const sigset_t& mask() const { return mask_; }
  void begin(pid_t process) {
    program = process;
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  /// The number of the process may soon be another's.
  void end() { program = 0; }

 private:
  void change(std::size_t from, sighandler_t handler, std::span<const int> signals) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (const int signal : signals) {
      before_[from].first = signal;
      ::sigaction(signal, &action, &before_[from++].second);
    }
  }

  sigset_t mask_{};
  std::array<std::pair<int, struct sigaction>, kHandedOn.size() + kIgnored.size()> before_;
};

pid_t start(const TrialCommand& command, std::vector<std::string>& environment,
            const sigset_t& mask, std::span<base::Pipe> output) {
  std::vector<std::string> words = command.words;
  const std::vector<char*> argv = base::pointers(words), env = base::pointers(environment);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t usual;
  sigset_t all;
  ::sigfillset(&all);
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  for (std::size_t i = 0; i < output.size(); ++i)
    ::posix_spawn_file_actions_adddup2(&actions, output[i].write.fd(),
                                       STDOUT_FILENO + static_cast<int>(i));
  ::posix_spawnattr_init(&usual);
  ::posix_spawnattr_setsigdefault(&usual, &all);
  ::posix_spawnattr_setsigmask(&usual, &mask);
  ::posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int error =
      ::posix_spawn(&child, command.path.c_str(), &actions, &usual, argv.data(), env.data());
  ::posix_spawnattr_destroy(&usual);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw base::Error(base::Errc::study, base::cat(base::printable(words.front(), 80), ' ',
                                                   start_failure(command.path, error)));
  return child;
}

/// Whether it has ended; it stays to be waited for.
bool has_ended(pid_t child, int wait) {
  siginfo_t info{};
  const auto id = static_cast<id_t>(child);
  while (::waitid(P_PID, id, &info, WEXITED | WNOWAIT | wait) < 0 && errno == EINTR) continue;
  return info.si_pid != 0;
}

/// Blocks until it has ended; it stays to be waited for.
void wait_for_end(pid_t child) {
  // A signal ends poll() whatever SA_RESTART says. ThreadSanitizer runs handlers between two system
  // calls, so that waitid() alone would not hand a signal on there.
  const base::File process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  pollfd wait{.fd = process.fd(), .events = POLLIN, .revents = 0};
  while (process && ::poll(&wait, 1, -1) < 0 && errno == EINTR) continue;
  (void)has_ended(child, 0);
}

/// Until both are at their end, or the program is over: others that it left behind may hold them.
void copy_output(std::span<base::Pipe> output, int log, pid_t child) {
  std::array<pollfd, 2> waits{};
  std::vector<std::byte> piece(kPipePiece);
  std::size_t open = output.size();
  for (std::size_t i = 0; i < open; ++i) {
    output[i].write = {};
    waits[i] = {.fd = output[i].read.fd(), .events = POLLIN, .revents = 0};
  }
  for (bool over = false; open > 0 && !over;) {
    over = has_ended(child, WNOHANG);
    if (::poll(waits.data(), waits.size(), over ? 0 : kLook) < 0) continue;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      const ssize_t bytes = ::read(waits[i].fd, piece.data(), piece.size());
      if (bytes <= 0) {
        waits[i] = {.fd = -1, .events = 0, .revents = 0};
        --open;
        continue;
      }
      const std::span<const std::byte> there(piece.data(), static_cast<std::size_t>(bytes));
      // A terminal that is gone takes nothing; what the program reported still counts.
      (void)base::write_all(STDOUT_FILENO + static_cast<int>(i), there);
      if (const int error = base::write_all(log, there); error != 0)
        throw base::storage_error("write", "a trial's log", error);
    }
  }
}

}  // namespace

int run_in_foreground(const TrialCommand& command, std::vector<std::string> environment, int log) {
  std::vector<base::Pipe> output(log < 0 ? 0 : 2);
  for (base::Pipe& pipe : output) {
    pipe = base::open_pipe();
    if (!pipe) throw base::NoMore("open a pipe", errno);
  }
  Signals signals;
  const pid_t child = start(command, environment, signals.mask(), output);
  signals.begin(child);
  if (!output.empty()) copy_output(output, log, child);
  wait_for_end(child);
  signals.end();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace hpo
