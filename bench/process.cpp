#include "bench/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

std::string drain(int fd) {
  std::string out;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = ::read(fd, piece.data(), piece.size())) > 0;)
    out.append(piece.data(), static_cast<std::size_t>(n));
  return out;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

pid_t spawn(const std::vector<std::string>& words, int output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = 0;
  int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw rt::Error(rt::Errc::usage,
                    rt::cat("cannot start ", words[0], ": ", rt::errno_words(error)));
  return pid;
}

}  // namespace

Finished run_program(const std::vector<std::string>& words, Watch watch) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw rt::Error(rt::Errc::internal, "cannot make a pipe");
  rt::File reading(ends[0]), writing(ends[1]);
  Finished done;
  auto begun = rt::now();
  pid_t pid = spawn(words, writing.fd());
  writing.close();
  std::optional<Watcher> watcher;
  if (watch == Watch::yes) watcher.emplace(pid);
  done.output = drain(reading.fd());
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT);
  done.seconds = rt::seconds(rt::now() - begun);
  if (watcher) done.used = watcher->stop();
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  done.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  done.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return done;
}

void must_end_well(const Finished& done, const std::string& who) {
  if (done.exit_code != 0)
    throw rt::Error(rt::Errc::internal, rt::cat(who, " ended with exit code ", done.exit_code));
}

std::string rivals_python() {
  if (const char* given = std::getenv("TRELLIS_RIVALS_PYTHON")) return given;
  rt::Path python = rt::cache_folder() / "rivals" / "bin" / "python";
  if (std::filesystem::exists(python)) return python;
  std::fputs("trellis: no rivals to measure against; tools/setup/rivals.sh installs them\n",
             stderr);
  return {};
}

std::string rivals_folder() { return TRELLIS_RIVALS_FOLDER; }

std::string own_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "trellis";
}

}  // namespace bench
