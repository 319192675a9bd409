#include "base/process/copy.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

CopyResult copy(const std::function<void(File)>& body, bool left_alone) {
  Pipe pipe = open_pipe();
  if (!pipe) throw NoMore("make a pipe", errno);
  const pid_t child = ::fork();
  if (child < 0) throw NoMore("start a process", errno);
  if (child == 0) {
    // Not our child's child: whoever called us need not wait for it.
    if (left_alone && ::fork() != 0) ::_exit(0);
    if (left_alone) leave_terminal();
    go_on_as(body, std::move(pipe));
  }
  (void)pipe.write.close();
  std::string said = read_all(pipe.read.fd());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return {std::move(said), outcome_of(status)};
}

}  // namespace

CopyResult run_copy(const std::function<void(File)>& body) { return copy(body, false); }

std::string leave_copy(const std::function<void(File)>& body) { return copy(body, true).said; }

}  // namespace base
