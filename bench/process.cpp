#include "bench/process.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/pipe.h"
#include "base/text.h"

namespace bench {

namespace {

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
    throw base::Error(base::Errc::usage,
                      base::cat("cannot start ", words[0], ": ", base::errno_words(error)));
  return pid;
}

}  // namespace

Finished run_program(const std::vector<std::string>& words, Watch watch) {
  base::Pipe pipe = base::open_pipe();
  if (!pipe) throw base::Error(base::Errc::internal, "cannot make a pipe");
  Finished done;
  auto begun = base::now();
  pid_t pid = spawn(words, pipe.write.fd());
  pipe.write.close();
  std::optional<Watcher> watcher;
  if (watch == Watch::yes) watcher.emplace(pid);
  done.output = base::read_all(pipe.read.fd());
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT);
  done.seconds = base::seconds(base::now() - begun);
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
    throw base::Error(base::Errc::internal,
                      base::cat(who, " ended with exit code ", done.exit_code));
}

std::string rivals_python() {
  if (const char* given = std::getenv("TRELLIS_RIVALS_PYTHON")) return given;
  base::Path python = base::cache_folder() / "rivals" / "bin" / "python";
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
