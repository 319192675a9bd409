#include "tasks/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "runtime/base/text.h"

namespace tasks {

namespace {

/// Never 0, 1 or 2, whatever of those is closed: they are given to the program by number.
rt::File above_streams(int fd) {
  if (fd > STDERR_FILENO) return rt::File(fd);
  const rt::File low(fd);
  return rt::File(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

struct Pipe {
  rt::File read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  const bool made = ::pipe2(ends.data(), O_CLOEXEC) == 0;
  Pipe pipe;
  if (made) pipe = {above_streams(ends[0]), above_streams(ends[1])};
  if (!pipe.read || !pipe.write)
    throw rt::Error(rt::Errc::storage, rt::cat("cannot make a pipe: ", rt::errno_words(errno)));
  return pipe;
}

void dont_block(const rt::File& end) {
  ::fcntl(end.fd(), F_SETFL, ::fcntl(end.fd(), F_GETFL) | O_NONBLOCK);
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!more.contains(std::string(text.substr(0, text.find('='))))) out.emplace_back(text);
  }
  for (const auto& [name, value] : more) out.push_back(rt::cat(name, "=", value));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// Everything that the child needs between its birth and exec: it shares this process's memory
/// until then, so it may call nothing but the system.
struct Launch {
  const char* path;
  char* const* words;
  char* const* environment;
  const char* folder;
  std::array<int, 3> streams;
  int status;  ///< where it says why it could not start
  pid_t parent;
};

[[noreturn]] void become(const Launch& launch) {
  // A handler of ours must not run on memory that is not the child's own.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool good = ::getppid() == launch.parent;
  for (int stream = 0; stream < 3; ++stream)
    good = good && ::dup2(launch.streams[static_cast<std::size_t>(stream)], stream) == stream;
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (good && ::chdir(launch.folder) == 0) ::execve(launch.path, launch.words, launch.environment);
  const int reason = errno;
  (void)!::write(launch.status, &reason, sizeof reason);
  ::_exit(127);
}

/// vfork, not fork: what libraries do at a fork (OpenBLAS ends its threads) must not happen beside
/// workers that compute, and nothing is copied.
[[gnu::noinline]] pid_t launch_child(const Launch& launch) {
  const pid_t child = ::vfork();
  if (child == 0) become(launch);
  return child;
}

/// With all signals blocked meanwhile.
pid_t launch_undisturbed(const Launch& launch) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = launch_child(launch);
  const int reason = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return child;
}

}  // namespace

Spawned spawn(const std::string& path, const std::vector<std::string>& words,
              const std::string& folder, const std::map<std::string, std::string>& environment) {
  Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe(), status = make_pipe();
  std::vector<std::string> argv = words, environ_words = environment_with(environment);
  const std::vector<char*> argv_pointers = pointers(argv), env_pointers = pointers(environ_words);
  const Launch launch{.path = path.c_str(),
                      .words = argv_pointers.data(),
                      .environment = env_pointers.data(),
                      .folder = folder.c_str(),
                      .streams = {input.read.fd(), output.write.fd(), errors.write.fd()},
                      .status = status.write.fd(),
                      .parent = ::getpid()};
  const pid_t child = launch_undisturbed(launch);
  if (child < 0)
    throw rt::Error(rt::Errc::storage,
                    rt::cat("cannot start ", words.front(), ": ", rt::errno_words(errno)));
  status.write.close();
  int reason = 0;
  if (::read(status.read.fd(), &reason, sizeof reason) == sizeof reason) {
    ::waitpid(child, nullptr, 0);
    throw rt::Error(rt::Errc::study, rt::cat("cannot start ", words.front(), " in ", folder, ": ",
                                             rt::errno_words(reason)));
  }
  for (const rt::File* end : {&input.write, &output.read, &errors.read}) dont_block(*end);
  return {child, std::move(input.write), std::move(output.read), std::move(errors.read)};
}

}  // namespace tasks
