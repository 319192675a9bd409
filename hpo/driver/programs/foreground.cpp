#include "hpo/driver/programs/foreground.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/new_file.h"
#include "base/process/child.h"
#include "base/process/start.h"
#include "base/text.h"
#include "hpo/driver/programs/start_failure.h"

namespace hpo {

namespace {

/// Between SIGTERM and SIGKILL, where the log cannot be written.
constexpr base::Duration kGrace = std::chrono::seconds(2);

static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler may touch it");
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch it");
std::atomic<pid_t> program{0};
std::atomic<int> waiting{0};  ///< a signal that no program had yet

/// Sends the waiting signal to the program. A handler stores its signal before it looks for the
/// program, and begin() stores the program before it looks for a signal: one of the two sees both.
void send_waiting() {
  const pid_t process = program;
  if (process <= 0) return;
  if (const int signal = waiting.exchange(0); signal != 0) ::kill(process, signal);
}

/// Another thread, which does not block the signal, may run this before the program has a number.
void hand_on(int signal) {
  const int before = errno;
  waiting = signal;
  send_waiting();
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
    waiting = 0;
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

  void begin(pid_t process) {
    program = process;
    send_waiting();
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

/// Starts the program. SIGTERM and SIGHUP are blocked here, and the terminal's signals ignored:
/// none of that is for the program.
base::Spawned start(const TrialCommand& command, std::vector<std::string> environment, bool piped) {
  try {
    return base::spawn({.path = command.path,
                        .words = command.words,
                        .environment = std::move(environment),
                        .folder = command.folder,
                        .death_signal = 0,
                        .group = base::Group::ours},
                       {.output = piped, .errors = piped});
  } catch (const base::StartFailure& failure) {
    throw base::Error(base::Errc::study, base::cat(base::printable(command.words.front(), 80), ' ',
                                                   start_failure(command.path, failure.code())));
  }
}

/// Copies what comes from a pipe to the stream of this process and to the log. The first error of
/// the log asks the program to end.
void copy(base::Supervision& run, const base::File& pipe, int stream, int log, int& error) {
  run.read(pipe.fd(), [&run, stream, log, &error](std::string_view piece) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(piece));
    // A terminal that is gone takes nothing; what the program reported still counts.
    (void)base::write_all(stream, bytes);
    if (error == 0) error = base::write_all(log, bytes);
    if (error != 0) run.cut(base::ProcessEnd::stopped);
  });
}

}  // namespace

base::ProcessOutcome run_in_foreground(const TrialCommand& command,
                                       std::vector<std::string> environment, int log) {
  const bool piped = log >= 0;
  int error = 0;
  Signals signals;
  const base::Spawned child = start(command, std::move(environment), piped);
  signals.begin(child.process);
  base::ChildSupervision run(child.process, base::Group::ours, {.grace = kGrace});
  copy(run, child.output, STDOUT_FILENO, log, error);
  copy(run, child.errors, STDERR_FILENO, log, error);
  // Others that the program left behind may hold its streams; they are not waited for.
  run.serve();
  signals.end();
  const base::ProcessOutcome outcome = run.finish();
  if (error != 0) throw base::storage_error("write", "a trial's log", error);
  return outcome;
}

}  // namespace hpo
