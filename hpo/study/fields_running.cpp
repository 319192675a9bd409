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
       .doc = "Program and its arguments, instead of `data`, `network` and `train`. Each trial "
              "runs it once. It is not run by a shell. An argument whose parameter is inactive is "
              "left out. `$args` means `--name=value` for each active parameter that the command "
              "does not name elsewhere, `$args_dashes` the same with dashes for underscores, "
              "`$params_file` a JSON file with all of them. See "
              "`docs/command.md`.",
       .per_trial = true,
       .binding = to<&StudySpec::command>()},
      {.name = "folder",
       .otherwise = "the study file's folder",
       .only = "command",
       .doc =
           "Working directory of the program. A relative path starts at the study file's folder.",
       .place = true,
       .binding = to<&StudySpec::command_folder>()},
      {.name = "output",
       .otherwise = "a pipe; if the output is read, programs in C and Python write each line at "
                    "once",
       .only = "command",
       .doc = "Destination of the program's output. `terminal`: a terminal of its own, for "
              "programs that otherwise buffer their output until they end. `pipe`: a pipe, with "
              "nothing in the environment that changes how the program buffers. It may be changed "
              "when a study is resumed. See `docs/command.md`.",
       .binding = to<&StudySpec::output>()},
      {.name = "library",
       .otherwise = "the program reads its arguments or `$TRELLIS_PARAMS`, and reports in the file "
                    "`$TRELLIS_METRICS`",
       .only = "command",
       .doc = "Library by which the program gets its parameters and reports. `wandb`: the package "
              "of W&B, which runs offline in the trial's folder. `wandb.config` has the "
              "parameters, and what `wandb.log` gets is reported. See `docs/other-tools.md`.",
       .binding = to<&StudySpec::library>()},
      {.name = "config_names",
       .type = Type::conditions,
       .otherwise = "the names of the parameters",
       .only = "command",
       .doc = "Names that parameters have in `wandb.config`, where they differ: `{lr: "
              "learning-rate}`. A list leads through nested maps: `{model_lr: [model, lr]}`.",
       .binding = to<&StudySpec::config_names>()}};
}

std::vector<Field> limit_rows() {
  return {
      {.name = "limits",
       .doc = "Limits of the study, its trials and its programs.",
       .binding = to<&StudySpec::limits>()},
      {.name = "limits.trials",
       .min = 1,
       .max = 1e9,
       .otherwise = "60; none with `time`; 1 without parameters; all points of a grid; the "
                    "members of a population; none with ask and tell",
       .unit = "trials",
       .doc = "Largest number of trials.",
       .binding = to<&Limits::trials>()},
      {.name = "limits.time",
       .type = Type::duration,
       .min = 0.001,
       .max = kSeconds,
       .otherwise = "none",
       .only = std::string(kOurs),
       .doc = "Longest real time of the study, all sessions together.",
       .binding = to<&Limits::time>()},
      {.name = "limits.trial_time",
       .type = Type::duration,
       .min = 0.001,
       .max = kSeconds,
       .otherwise = "none",
       .doc = "Longest real time in which the tasks of one attempt of a trial run. A longer "
              "attempt fails as `timeout`. Time spent waiting for a worker does not count. A "
              "program gets SIGTERM, then SIGKILL after `limits.grace`. With ask and tell: real "
              "time from asking for a trial to telling its value.",
       .binding = to<&Limits::trial_time>()},
      {.name = "limits.no_progress",
       .type = Type::duration,
       .min = 0.001,
       .max = kSeconds,
       .otherwise = "none",
       .only = "command",
       .doc = "Longest real time in which a program neither prints nor reports. A longer silence "
              "fails as `timeout`.",
       .binding = to<&Limits::no_progress>()},
      {.name = "limits.grace",
       .type = Type::duration,
       .min = 0,
       .max = kSeconds,
       .fallback = "10s",
       .only = "command",
       .doc = "Real time from SIGTERM to SIGKILL when a program has to end. SIGKILL ends "
              "everything that it started, too.",
       .binding = to<&Limits::grace>()},
      {.name = "limits.log",
       .type = Type::size,
       .min = 1024,
       .max = kBytes,
       .fallback = "10MB",
       .only = "command",
       .doc =
           "Largest size of a program's log. Of a longer log the beginning and the end are kept.",
       .binding = to<&Limits::log>()},
      {.name = "limits.failed",
       .min = 1,
       .max = 1e9,
       .otherwise = "none",
       .unit = "trials",
       .doc = "Stop the study after N failed trials.",
       .binding = to<&Limits::failed>()},
      {.name = "limits.target",
       .otherwise = "none",
       .doc = "Stop the study once a complete trial has this value or a better one. Trials "
              "that break `subject_to` do not count. Only with a single metric.",
       .binding = to<&Limits::target>()},
      {.name = "limits.patience",
       .min = 1,
       .max = 1e9,
       .otherwise = "none",
       .unit = "trials",
       .doc = "Stop the study after N consecutive trials without a new best complete trial. A "
              "trial counts when it completes, is stopped or begins to wait. Failed trials do "
              "not count. Only with a single metric.",
       .binding = to<&Limits::patience>()},
      {.name = "limits.weights",
       .min = 1,
       .max = 1e12,
       .otherwise = "none",
       .unit = "weights",
       .only = "data",
       .doc = "Largest number of weights to which a network may grow, with `adapt` or a method "
              "that reshapes.",
       .binding = to<&Limits::weights>()}};
}

std::vector<Field> resource_rows() {
  return {
      {.name = "resources",
       .only = std::string(kOurs),
       .doc = "Resources of one running trial.",
       .binding = to<&StudySpec::resources>()},
      {.name = "resources.cpus",
       .min = 1,
       .max = 4096,
       .fallback = "1",
       .unit = "cores",
       .doc = "Number of CPU cores. A program finds it in `OMP_NUM_THREADS`.",
       .binding = to<&NeedRows::cpus>()},
      {.name = "resources.gpus",
       .min = 0,
       .max = 64,
       .words = {"auto"},
       .otherwise = "0; `auto` for a `command`",
       .unit = "GPUs",
       .doc = "Number of GPUs, or a share of one GPU. If this is above 0, a network is trained and "
              "scored on a GPU; it uses at most one. With 0.25, up to four networks share a GPU. "
              "All networks of a study have equal shares. A GPU rounds differently from a core. A "
              "program waits until its GPUs are free and finds them in `CUDA_VISIBLE_DEVICES`. "
              "`auto` for a network: see `gpu_from`. `auto` for a program: one GPU if there is "
              "any, which other trials may share.",
       .binding = to<&NeedRows::gpus>()},
      {.name = "resources.gpu_from",
       .min = 0,
       .max = 1e30,
       .otherwise = "chosen when the study begins, then kept",
       .unit = "FLOPs a step",
       .only = "data",
       .doc =
           "Size from which a network uses a GPU, with `gpus: auto`: the FLOPs of a training step. "
           "A smaller network uses a core, and one that grows past this size moves. The number is "
           "part of the result, because GPUs and cores round differently. See `docs/simulate.md`.",
       .binding = to<&NeedRows::gpu_from>()},
      {.name = "resources.memory",
       .type = Type::size,
       .min = 1,
       .max = kBytes,
       .otherwise = "none is reserved",
       .doc = "Memory of a trial. A program that takes more is killed, with the cause "
              "`out_of_memory`.",
       .binding = to<&NeedRows::memory>()},
      {.name = "resources.isa",
       .otherwise = "the best that the processor has",
       .only = "data",
       .doc = "Instruction set that cores compute with. Processors of the same manufacturer that "
              "support it compute the same bits, so that nodes with different processors can work "
              "together. A processor without it is refused. Part of the result. See "
              "`docs/cluster.md`.",
       .binding = to<&NeedRows::isa>()},
      {.name = "resources.members",
       .min = 1,
       .max = 256,
       .words = {"auto"},
       .otherwise = "1, or as many as `train --hosts` or a job has",
       .unit = "processes",
       .only = "data",
       .doc =
           "Largest number of processes that train one network. `train` has them on this "
           "machine or on `--hosts`. It then chooses the way to run a step that takes the least "
           "time on paper, in one process or several, and `plan` says which one. In a sweep over "
           "agents, workers without a task join trainings of other agents. `auto`: as many as "
           "pay. Never changes a result. See `docs/large-batches.md`.",
       .binding = to<&NeedRows::members>()},
      {.name = "retry",
       .only = std::string(kOurs),
       .doc = "Retries of failed trials.",
       .binding = to<&StudySpec::retry>()},
      {.name = "retry.max",
       .min = 0,
       .max = 100,
       .fallback = "2",
       .unit = "attempts",
       .doc = "Attempts after the first one. A stop or a crash of Trellis itself does not count as "
              "an attempt.",
       .binding = to<&Retry::max>()},
      {.name = "retry.on",
       .fallback = "[lost, killed, out_of_memory]",
       .doc = "Causes of failure that are retried.",
       .binding = to<&Retry::on>()}};
}

std::vector<Field> keeping_rows() {
  return {{.name = "checkpoint",
           .only = "data",
           .doc = "Checkpoints of unfinished work on disk, from which a killed study continues. "
                  "They never change a result.",
           .binding = to<&StudySpec::checkpoint>()},
          {.name = "checkpoint.overhead",
           .type = Type::percent,
           .min = 0,
           .max = 100,
           .fallback = "3.5%",
           .doc = "Share of the time that writing may take. The time between checkpoints follows "
                  "from this share and from the cost of a checkpoint. The last two checkpoints of "
                  "every trial are kept. Other results are written if writing takes at most this "
                  "share of the time that computing them took. Otherwise they stay in memory.",
           .binding = to<&CheckpointLimits::overhead>()},
          {.name = "store",
           .only = "data",
           .doc = "Results that all studies in one folder share. They never change a result.",
           .binding = to<&StudySpec::store>()},
          {.name = "store.budget",
           .type = Type::size,
           .min = 1e6,
           .max = kBytes,
           .fallback = "16GB",
           .doc = "Size on disk. If the store grows beyond it, the results that are quickest to "
                  "recompute for their size are removed first. Among equals, the least recently "
                  "used result is removed first. Nothing that an unfinished trial needs is "
                  "removed.",
           .binding = to<&StoreLimits::budget>()},
          {.name = "report",
           .otherwise = "`on`",
           .only = std::string(kOurs),
           .doc = "`off`: the end of a sweep writes no `report.html`. Never changes a result. See "
                  "`docs/report.md`.",
           .binding = to<&StudySpec::report>()}};
}

}  // namespace hpo::study
