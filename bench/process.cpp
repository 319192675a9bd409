#include "bench/process.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/executable.h"
#include "base/file.h"
#include "base/process/child.h"
#include "base/process/start.h"
#include "base/text.h"

namespace bench {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Starts the program in our process group: what a terminal sends ends both.
base::Spawned start(const std::vector<std::string>& words) {
  const std::optional<std::string> path = base::find_executable(words[0], ".");
  if (!path)
    throw base::Error(base::Errc::usage,
                      base::cat("cannot start ", words[0], ": there is no such program"));
  return base::spawn({.path = *path,
                      .words = words,
                      .environment = base::environment_with({}),
                      .death_signal = 0,
                      .group = base::Group::ours,
                      .signals = base::Signals::ours},
                     {.output = true});
}

}  // namespace

Finished run_program(const std::vector<std::string>& words, Watch watch) {
  Finished done;
  const base::Moment begun = base::now();
  const base::Spawned program = start(words);
  base::ChildSupervision run(program.process, base::Group::ours);
  run.read(program.output.fd(), [&](std::string_view piece) { done.output += piece; });
  std::optional<Watcher> watcher;
  if (watch == Watch::yes) watcher.emplace(program.process);
  run.serve();
  done.seconds = base::seconds_since(begun);
  if (watcher) done.used = watcher->stop();
  const base::ProcessOutcome outcome = run.finish();
  done.cpu_seconds = seconds_of(run.used().ru_utime) + seconds_of(run.used().ru_stime);
  const bool killed = outcome.end == base::ProcessEnd::killed;
  done.exit_code = killed ? 128 + outcome.status : outcome.status;
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

std::string rivals_folder() {
  const std::optional<base::Path> found = built_for_bench("rivals");
  if (!found)
    throw base::Error(
        base::Errc::storage,
        "there are no files of the benchmarks here, expected bench/rivals of a bundle "
        "or of the source tree around this program");
  return std::filesystem::canonical(*found).string();
}

std::optional<base::Path> built_for_bench(const std::string& name) {
  for (const base::Path& folder : base::folders_of_parts("bench")) {
    if (std::filesystem::exists(folder / name)) return folder / name;
  }
  return {};
}

std::string own_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "trellis";
}

}  // namespace bench
