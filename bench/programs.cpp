// Trials that run a program which does nothing, against starting the same program bare.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "hpo/driver/sweep.h"

namespace bench {

namespace {

constexpr const char* kProgram = "/bin/true";

std::string program_study(int trials, int at_once) {
  return base::cat("name: programs\ncommand: [", kProgram, ", $x]\nparallel: ", at_once,
                   "\nmetric: {name: exit, goal: minimize}\nmethod: random\n",
                   "parameters: {x: {min: 0.0, max: 1.0}}\nlimits: {trials: ", trials, "}\n");
}

/// Seconds of a whole study on disk: every program started and supervised, its end logged.
double seconds_of_study(const base::Path& folder, int trials, int at_once) {
  const hpo::StudySpec study =
      hpo::parse_study(program_study(trials, at_once), "bench", folder.parent_path().string());
  hpo::Observer observer;
  const base::Moment begun = base::now();
  const hpo::SweepResult result = hpo::run_sweep(study, {.folder = folder}, observer);
  const double seconds = base::seconds_since(begun);
  if (result.counts.complete != trials)
    throw base::Error(base::Errc::internal, "not every program's trial is complete in the log");
  return seconds;
}

/// Seconds of posix_spawn and waitid of as many programs, so many at once.
double seconds_bare(int programs, int at_once) {
  const base::Moment begun = base::now();
  std::string name = kProgram, argument = "0.5";
  char* const words[] = {name.data(), argument.data(), nullptr};
  int running = 0;
  for (int started = 0; started < programs || running > 0;) {
    if (started < programs && running < at_once) {
      pid_t child = -1;
      if (::posix_spawn(&child, kProgram, nullptr, nullptr, words, environ) != 0)
        throw base::Error(base::Errc::internal, base::cat("cannot start ", kProgram));
      ++started;
      ++running;
    } else {
      siginfo_t ended{};
      ::waitid(P_ALL, 0, &ended, WEXITED);
      --running;
    }
  }
  return base::seconds_since(begun);
}

/// In memory where the system has files there: measured are processes, and a disk on which many
/// files were removed a moment ago takes milliseconds to make a new one.
base::Path study_folder(int at_once) {
  std::error_code error;
  const base::Path memory = "/dev/shm";
  const base::Path place = std::filesystem::is_directory(memory, error)
                               ? memory
                               : std::filesystem::temp_directory_path();
  return place / base::cat("trellis-bench-programs-", ::getpid(), "-", at_once);
}

/// Ours and bare take turns, so that what else the machine does falls on both.
Case compared(int trials, int at_once, int repetitions) {
  const base::Path folder = study_folder(at_once);
  base::make_folder(folder);
  std::vector<double> ours, bare;
  for (int i = 0; i < repetitions; ++i) {
    bare.push_back(seconds_bare(trials, at_once) / trials * 1e3);
    ours.push_back(seconds_of_study(folder / std::to_string(i), trials, at_once) / trials * 1e3);
  }
  std::filesystem::remove_all(folder);
  const Sample study = sample_of(ours), spawn = sample_of(bare);
  return {.name = base::cat("a trial of ", kProgram, ", of ", trials, ", ", at_once, " at once"),
          .ours = study.median,
          .unit = "ms",
          .rival = "posix_spawn",
          .rival_value = spawn.median,
          .ratio = spawn.median / study.median,
          .spread = study.spread};
}

}  // namespace

std::vector<Case> run_programs(const Options& options) {
  const int trials = options.quick ? 20 : 200;
  const int repetitions = options.quick ? 1 : 7;
  std::vector<Case> cases;
  for (const int at_once : {1, 16}) {
    const Case one = compared(trials, at_once, repetitions);
    cases.push_back(one);
    cases.push_back(
        {.name = base::cat("what a trial costs over posix_spawn, ", at_once, " at once"),
         .ours = one.ours - one.rival_value,
         .unit = "ms",
         .spread = one.spread});
  }
  return cases;
}

}  // namespace bench
