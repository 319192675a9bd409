#include "base/process/copy.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/pipe.h"
#include "base/process/no_more.h"

namespace base {

namespace {

/// Nothing of the terminal or of the pipes of whoever started us stays open.
void leave_terminal() {
  ::setsid();
  const File nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing.fd(), fd);
}

/// Runs `body` and ends, without what this process has registered for its own exit.
[[noreturn]] void go_on_as(const std::function<void(File)>& body, Pipe pipe) noexcept {
  (void)pipe.read.close();
  body(std::move(pipe.write));
  ::_exit(0);
}

ProcessOutcome end_of(pid_t child) noexcept {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return outcome_of(status);
}

/// Forks. Returns the child, and in `pipe` what it will say.
pid_t start_copy(const std::function<void(File)>& body, bool left_alone, Pipe& pipe) {
  pipe = open_pipe();
  if (!pipe) throw NoMore("make a pipe", errno);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw NoMore("start a process", errno);
  if (child == 0) {
    // Not our child's child: whoever called us need not wait for it.
    if (left_alone && ::fork() != 0) ::_exit(0);
    if (left_alone) leave_terminal();
    if (!left_alone) (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!left_alone && ::getppid() != parent) ::_exit(1);  // it ended before the call above
    go_on_as(body, std::move(pipe));
  }
  (void)pipe.write.close();
  return child;
}

}  // namespace

Copy::Copy(const std::function<void(File)>& body) {
  Pipe pipe;
  child_ = start_copy(body, false, pipe);
  said_ = std::move(pipe.read);
}

Copy::Copy(Copy&& other) noexcept
    : said_(std::move(other.said_)), child_(std::exchange(other.child_, -1)) {}

Copy::~Copy() {
  if (child_ < 0) return;
  signal(SIGKILL);
  (void)end_of(child_);
}

void Copy::signal(int number) const noexcept {
  if (child_ > 0) (void)::kill(child_, number);
}

CopyResult Copy::wait() {
  std::string said = read_all(said_.fd());
  return {std::move(said), end_of(std::exchange(child_, -1))};
}

CopyResult run_copy(const std::function<void(File)>& body) { return Copy(body).wait(); }

std::string leave_copy(const std::function<void(File)>& body) {
  Pipe pipe;
  const pid_t child = start_copy(body, true, pipe);
  std::string said = read_all(pipe.read.fd());
  (void)end_of(child);
  return said;
}

}  // namespace base
