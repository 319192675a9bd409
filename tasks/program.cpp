#include "tasks/program.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>

#include "base/clock.h"
#include "base/executable.h"
#include "base/process/start.h"
#include "base/text.h"

namespace tasks {

namespace {

base::Duration duration_of(double seconds) {
  return base::Duration(static_cast<std::int64_t>(seconds * 1e9));
}

/// While it lives, writing to a pipe that nobody reads is an error and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    // One that came meanwhile is ours: it must not be there when the mask goes.
    constexpr timespec kNow{};
    if (::sigismember(&before_, SIGPIPE) == 0)
      while (::sigtimedwait(&pipe_, nullptr, &kNow) > 0) continue;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

/// One run of a program, from its start to the end of its last stream.
class Supervision {
 public:
  Supervision(const Program& program, const std::string& path, const std::stop_token& stop)
      : program_(program),
        child_(base::spawn({.path = path,
                            .words = program.command,
                            .environment = base::environment_with(program.environment),
                            .folder = program.folder},
                           {.input = true, .output = true, .errors = true})),
        ended_(static_cast<int>(::syscall(SYS_pidfd_open, child_.process, 0))),
        asked_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        started_(base::now()),
        on_stop_(stop, [this] {
          constexpr std::uint64_t kOne = 1;
          (void)!::write(asked_.fd(), &kOne, sizeof kOne);
        }) {}
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  /// The process must not outlive an exception.
  ~Supervision() {
    if (!reaped_) (void)reap();
  }

  ProgramResult run() {
    while (!has_ended()) wait_and_serve();
    const int status = reap();
    // Nobody of the group is left to write, so the pipes hold all there is; a child in a group of
    // its own could write for ever.
    for (int i = 0; i < kMostPieces && (take_output() || take_errors()); ++i) continue;
    if (!cut_) {
      result_.end = WIFSIGNALED(status) ? ProgramEnd::killed : ProgramEnd::exited;
      result_.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    return std::move(result_);
  }

 private:
  /// Without taking its number away: its group is killed by it afterwards.
  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    const int found =
        ::waitid(P_PID, static_cast<id_t>(child_.process), &info, WEXITED | WNOHANG | WNOWAIT);
    return found != 0 || info.si_pid == child_.process;
  }

  int reap() {
    ::kill(-child_.process, SIGKILL);
    int status = 0;
    while (::waitpid(child_.process, &status, 0) < 0 && errno == EINTR) continue;
    reaped_ = true;
    return status;
  }

  void wait_and_serve() {
    if (fed_ == program_.input.size()) child_.input.close();
    // Negative numbers are left out.
    std::array<pollfd, 5> watched{{{child_.input.fd(), POLLOUT, 0},
                                   {child_.output.fd(), POLLIN, 0},
                                   {child_.errors.fd(), POLLIN, 0},
                                   {ended_.fd(), POLLIN, 0},
                                   {cut_ ? -1 : asked_.fd(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), milliseconds_left());
    if (watched[0].revents != 0) feed();
    if (watched[1].revents != 0 && !take_output()) close_if_over(child_.output);
    if (watched[2].revents != 0 && !take_errors()) close_if_over(child_.errors);
    if (watched[4].revents != 0) cut(ProgramEnd::stopped);
    if (result_.output.size() >= program_.most) cut(ProgramEnd::flooded);
    if (program_.timeout > 0 && base::now() >= started_ + duration_of(program_.timeout))
      cut(ProgramEnd::timed_out);
    if (cut_ && base::now() >= *cut_ + duration_of(program_.grace))
      ::kill(-child_.process, SIGKILL);
  }

  /// Until something is due; -1: nothing is.
  [[nodiscard]] int milliseconds_left() const {
    constexpr int kLook = 20;  // where nothing tells of its end, look now and then
    std::optional<base::Moment> due;
    if (cut_) due = *cut_ + duration_of(program_.grace);
    if (!cut_ && program_.timeout > 0) due = started_ + duration_of(program_.timeout);
    const int most = ended_ && !(cut_ && base::now() >= *due) ? -1 : kLook;
    if (!due) return most;
    const double left = std::clamp(base::seconds(*due - base::now()), 0.0, 3600.0);
    const int wait = static_cast<int>(left * 1000) + 1;
    return most < 0 ? wait : std::min(wait, most);
  }

  /// Asks it to end; the first reason counts.
  void cut(ProgramEnd why) {
    if (cut_) return;
    cut_ = base::now();
    result_.end = why;
    ::kill(-child_.process, SIGTERM);
  }

  void feed() {
    const NoPipeSignal quiet;
    const ssize_t written =
        ::write(child_.input.fd(), program_.input.data() + fed_, program_.input.size() - fed_);
    if (written > 0) fed_ += static_cast<std::size_t>(written);
    // It may not care for the rest.
    if (written < 0 && errno != EAGAIN && errno != EINTR) fed_ = program_.input.size();
  }

  /// Reads a piece into `piece_`; false when there is none now.
  bool read_piece(const base::File& from) {
    piece_.resize(kPiece);
    const ssize_t bytes = from ? ::read(from.fd(), piece_.data(), piece_.size()) : 0;
    over_ = bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR);
    piece_.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    return bytes > 0;
  }

  bool take_output() {
    if (!read_piece(child_.output)) return false;
    const std::size_t room =
        program_.most - std::min<std::size_t>(result_.output.size(), program_.most);
    result_.output.append(piece_, 0, room);
    return true;
  }

  bool take_errors() {
    if (!read_piece(child_.errors)) return false;
    result_.errors += piece_;
    if (result_.errors.size() > kErrorBytes)
      result_.errors.erase(0, result_.errors.size() - kErrorBytes);
    return true;
  }

  void close_if_over(base::File& stream) const {
    if (over_) stream.close();
  }

  static constexpr std::size_t kPiece = 65536;
  static constexpr int kMostPieces = 64;  // more than two pipes hold

  const Program& program_;
  base::Spawned child_;
  base::File
      ended_;  ///< readable once the process has ended; none where the system has no such file
  base::File asked_;  ///< readable once a stop was asked for
  base::Moment started_;
  std::optional<base::Moment> cut_;  ///< when it was asked to end
  std::size_t fed_ = 0;
  std::string piece_;
  bool over_ = false;  ///< the stream read last has ended
  bool reaped_ = false;
  ProgramResult result_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace

ProgramResult run_program(const Program& program, const std::stop_token& stop) {
  const std::string& word = program.command.at(0);
  const std::optional<std::string> path = base::find_executable(word, program.folder);
  if (!path)
    throw base::Error(base::Errc::study,
                      base::cat("cannot start ", word, ": there is no such program"));
  return Supervision(program, *path, stop).run();
}

std::string title(const Program& program) {
  std::string out;
  for (const std::string& word : program.command) out += (out.empty() ? "" : " ") + word;
  return base::printable(out, 120);
}

std::string end_text(const Program& program, const ProgramResult& result) {
  switch (result.end) {
    case ProgramEnd::exited:
      return base::cat("exited with status ", result.status);
    case ProgramEnd::killed:
      return base::cat("died of signal ", result.status, " (", ::strsignal(result.status), ")");
    case ProgramEnd::timed_out:
      return base::cat("took longer than ", base::format_seconds(program.timeout));
    case ProgramEnd::flooded:
      return base::cat("printed more than ", base::format_bytes(program.most));
    case ProgramEnd::stopped:
      break;
  }
  return "was stopped";
}

}  // namespace tasks
