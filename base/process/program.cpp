#include "base/process/program.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/executable.h"
#include "base/process/child.h"
#include "base/process/start.h"
#include "base/text.h"

namespace base {

namespace {

Duration duration_of(double seconds) { return Duration(static_cast<std::int64_t>(seconds * 1e9)); }

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

/// Writes as much as the pipe takes and returns what is left; nothing where nobody reads the rest.
std::string_view feed(int pipe, std::string_view text) {
  const NoPipeSignal quiet;
  const ssize_t written = ::write(pipe, text.data(), text.size());
  if (written < 0) return errno == EAGAIN || errno == EINTR ? text : std::string_view();
  return text.substr(static_cast<std::size_t>(written));
}

void keep_end(std::string& text, std::string_view piece) {
  text += piece;
  if (text.size() > kErrorBytes) text.erase(0, text.size() - kErrorBytes);
}

ProgramResult run_at(const std::string& path, const Program& program, const std::stop_token& stop) {
  Spawned child = spawn({.path = path,
                         .words = program.command,
                         .environment = environment_with(program.environment),
                         .folder = program.folder},
                        {.input = true, .output = true, .errors = true});
  ChildSupervision run(child.process, Group::own,
                       {.time = duration_of(program.timeout), .grace = duration_of(program.grace)});
  ProgramResult result;
  run.read(child.output.fd(), [&](std::string_view piece) {
    result.output += piece.substr(0, program.most - result.output.size());
    if (result.output.size() >= program.most) run.cut(ProcessEnd::flooded);
  });
  run.read(child.errors.fd(), [&](std::string_view piece) { keep_end(result.errors, piece); });
  std::string_view input = program.input;
  const auto go_on_feeding = [&] {
    if (!input.empty()) input = feed(child.input.fd(), input);
    if (!input.empty()) return;
    run.forget(child.input.fd());
    (void)child.input.close();
  };
  run.watch(child.input.fd(), POLLOUT, go_on_feeding);
  const File asked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  run.watch(asked.fd(), POLLIN, [&] {
    run.forget(asked.fd());
    run.cut(ProcessEnd::stopped);
  });
  const std::stop_callback on_stop(stop, [&] {
    constexpr std::uint64_t kOne = 1;
    (void)!::write(asked.fd(), &kOne, sizeof kOne);
  });
  run.serve();
  const ProcessOutcome outcome = run.finish();
  result.end = outcome.end;
  result.status = outcome.status;
  return result;
}

}  // namespace

ProgramResult run_program(const Program& program, const std::stop_token& stop) {
  const std::string& word = program.command.at(0);
  const std::optional<std::string> path = find_executable(word, program.folder);
  if (!path) throw Error(Errc::study, cat("cannot start ", word, ": there is no such program"));
  return run_at(*path, program, stop);
}

std::string title(const Program& program) {
  std::string out;
  for (const std::string& word : program.command) out += (out.empty() ? "" : " ") + word;
  return printable(out, 120);
}

std::string end_text(const Program& program, const ProgramResult& result) {
  switch (result.end) {
    case ProcessEnd::exited:
      return cat("exited with status ", result.status);
    case ProcessEnd::killed:
      return cat("died of signal ", result.status, " (", ::strsignal(result.status), ")");
    case ProcessEnd::timed_out:
      return cat("took longer than ", format_seconds(program.timeout));
    case ProcessEnd::flooded:
      return cat("printed more than ", format_bytes(program.most));
    default:
      return "was stopped";
  }
}

}  // namespace base
