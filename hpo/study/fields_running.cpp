// The table's rows about programs, limits, resources, retries and what is kept.

#include "hpo/study/binding.h"
#include "hpo/study/field_rows.h"
#include "hpo/study/spec.h"

namespace hpo::study {

namespace {

constexpr double kSeconds = 1e9;  // about 30 years, the longest duration
constexpr double kBytes = 1ULL << 50;

}  // namespace

std::vector<Field> command_rows() {
  return {
      {.name = "command",
       .type = Type::text,
       .count = Count::list,
       .required = true,
       .only = "command",
       .doc = "A program and its arguments, instead of `data`, `network` and `train`: each trial "
              "runs it once. No shell reads it. A word whose parameter is inactive is left out; "
              "`$args` stands for `--name=value` of all active parameters that are named nowhere "
              "else. See `docs/command.md`.",
       .per_trial = true,
       .binding = to<&StudySpec::command>()},
      {.name = "folder",
       .otherwise = "the study file's folder",
       .only = "command",
       .doc = "Where the program runs; a relative path starts at the study file's folder.",
       .place = true,
       .binding = to<&StudySpec::command_folder>()}};
}

std::vector<Field> limit_rows() {
  return {
      {.name = "limits", .doc = "What ends the study.", .binding = to<&StudySpec::limits>()},
      {.name = "limits.trials",
       .min = 1,
       .max = 1e9,
       .otherwise = "60; none with `time`; "
                    "1 without parameters; all points for a grid; the members of a population; "
                    "none where trials are asked for",
       .unit = "trials",
       .doc = "Trials in all.",
       .binding = to<&Limits::trials>()},
      {.name = "limits.time",
       .type = Type::duration,
       .min = 0.001,
       .max = kSeconds,
       .otherwise = "none",
       .only = std::string(kOurs),
       .doc = "Real time of the study, all sessions together.",
       .binding = to<&Limits::time>()},
      {.name = "limits.trial_time",
       .type = Type::duration,
       .min = 0.001,
       .max = kSeconds,
       .otherwise = "none",
       .doc = "Real time in which tasks of one attempt of a trial run; waiting for a worker "
              "does not count. A program is then asked to end (SIGTERM), and killed after "
              "`limits.grace`. Where trials are asked for: real time from the asking until one is "
              "told.",
       .binding = to<&Limits::trial_time>()},
      {.name = "limits.no_progress",
       .type = Type::duration,
       .min = 0.001,
       .max = kSeconds,
       .otherwise = "none",
       .only = "command",
       .doc = "Real time in which a program may neither print nor report.",
       .binding = to<&Limits::no_progress>()},
      {.name = "limits.grace",
       .type = Type::duration,
       .min = 0,
       .max = kSeconds,
       .fallback = "10s",
       .only = "command",
       .doc = "Real time between asking a program to end and killing it with all it started.",
       .binding = to<&Limits::grace>()},
      {.name = "limits.log",
       .type = Type::size,
       .min = 1024,
       .max = kBytes,
       .fallback = "10MB",
       .only = "command",
       .doc = "Size of a program's log; of a longer one the beginning and the end are kept.",
       .binding = to<&Limits::log>()},
      {.name = "limits.failed",
       .min = 1,
       .max = 1e9,
       .otherwise = "none",
       .unit = "trials",
       .doc = "So many failed trials end the study.",
       .binding = to<&Limits::failed>()},
      {.name = "limits.target",
       .otherwise = "none",
       .doc = "A complete trial whose value is as good as this, or better, ends the study. Of one "
              "metric; trials that break `subject_to` do not count.",
       .binding = to<&Limits::target>()},
      {.name = "limits.patience",
       .min = 1,
       .max = 1e9,
       .otherwise = "none",
       .unit = "trials",
       .doc = "So many trials in a row that end, complete or stopped, or begin to wait, without a "
              "complete one that is better than all before end the study. Of one metric.",
       .binding = to<&Limits::patience>()},
      {.name = "limits.weights",
       .min = 1,
       .max = 1e12,
       .otherwise = "none",
       .unit = "weights",
       .only = "data",
       .doc = "With `adapt`, or a method that reshapes: no network grows beyond so many "
              "weights.",
       .binding = to<&Limits::weights>()}};
}

std::vector<Field> resource_rows() {
  return {
      {.name = "resources",
       .only = std::string(kOurs),
       .doc = "What one trial needs while it runs.",
       .binding = to<&StudySpec::resources>()},
      {.name = "resources.cpus",
       .min = 1,
       .max = 4096,
       .fallback = "1",
       .unit = "cores",
       .doc = "CPU cores. A program finds the number in `OMP_NUM_THREADS`.",
       .binding = to<&NeedRows::cpus>()},
      {.name = "resources.gpus",
       .min = 0,
       .max = 64,
       .words = {"auto"},
       .otherwise = "0; `auto` for a `command`",
       .unit = "GPUs",
       .doc =
           "GPUs, or a part of one. A network trains and is scored on a GPU where this is "
           "above 0, up to 1; with 0.25 up to four networks share one, and all of a study's "
           "do so in equal parts. It computes other bits than a core. A program finds its own in "
           "`CUDA_VISIBLE_DEVICES`, and waits until they are free; `auto`: one, if there "
           "are any, which others may share.",
       .binding = to<&NeedRows::gpus>()},
      {.name = "resources.gpu_from",
       .min = 0,
       .max = 1e30,
       .otherwise = "chosen when the study begins; then kept",
       .unit = "FLOPs a step",
       .only = "data",
       .doc = "With `gpus: auto`: a network whose training step counts so many FLOPs, or more, "
              "uses a GPU, a smaller one a core; one that grows past it moves. Part of the "
              "result: the two kinds of device round differently. See `docs/simulate.md`.",
       .binding = to<&NeedRows::gpu_from>()},
      {.name = "resources.memory",
       .type = Type::size,
       .min = 1,
       .max = kBytes,
       .otherwise = "not asked for",
       .doc = "Memory. A program that takes more is killed, as `out_of_memory`.",
       .binding = to<&NeedRows::memory>()},
      {.name = "retry",
       .only = std::string(kOurs),
       .doc = "What happens to a trial that failed.",
       .binding = to<&StudySpec::retry>()},
      {.name = "retry.max",
       .min = 0,
       .max = 100,
       .fallback = "2",
       .unit = "attempts",
       .doc = "Attempts after the first. The end of the program itself is none.",
       .binding = to<&Retry::max>()},
      {.name = "retry.on",
       .fallback = "[lost, killed, out_of_memory]",
       .doc = "The causes that are worth another attempt.",
       .binding = to<&Retry::on>()}};
}

std::vector<Field> keeping_rows() {
  return {
      {.name = "checkpoint",
       .only = "data",
       .doc = "How often half-done work is brought to the disk, where a killed study finds it. "
              "Never changes a result.",
       .binding = to<&StudySpec::checkpoint>()},
      {.name = "checkpoint.overhead",
       .type = Type::percent,
       .min = 0,
       .max = 100,
       .fallback = "3.5%",
       .doc = "Share of the time that writing may take; from it and from what a checkpoint costs "
              "follows the interval. The last two of every trial are kept. What is computed again "
              "sooner than its share allows to write it is kept in memory only.",
       .binding = to<&CheckpointLimits::overhead>()},
      {.name = "store",
       .only = "data",
       .doc = "Results that studies in one folder share. Never changes a result.",
       .binding = to<&StudySpec::store>()},
      {.name = "store.budget",
       .type = Type::size,
       .min = 1e6,
       .max = kBytes,
       .fallback = "16GB",
       .doc = "Size on disk. Beyond it goes what is quickest to compute again for its size, then "
              "what was not used for longest, but nothing that an unfinished trial needs.",
       .binding = to<&StoreLimits::budget>()}};
}

}  // namespace hpo::study
