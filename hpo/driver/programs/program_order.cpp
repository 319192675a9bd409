#include "hpo/driver/programs/program_order.h"

#include <algorithm>

#include "hpo/driver/programs/wandb_runs.h"

namespace hpo {

bool reads_output(const StudySpec& study) {
  return !study.metric.regex.empty() || std::ranges::any_of(study.others, [](const Metric& other) {
    return !other.regex.empty();
  });
}

namespace {

/// Lines cost a program that prints much time, so only where somebody waits for them.
tasks::ProgramOutput output_of(const StudySpec& study) {
  if (study.output == OutputKind::terminal) return tasks::ProgramOutput::terminal;
  const bool is_heard = reads_output(study) || study.limits.no_progress;
  return is_heard && study.output == OutputKind::lines ? tasks::ProgramOutput::lines
                                                       : tasks::ProgramOutput::pipe;
}

std::int64_t nanoseconds(double seconds) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::min(kMost, seconds * 1e9));
}

}  // namespace

std::map<std::string, std::string> command_environment(const StudySpec& study,
                                                       const base::Path& folder,
                                                       const TrialResources& resources,
                                                       const std::optional<std::string>& gpus) {
  std::map<std::string, std::string> environment{
      {"TRELLIS_TRIAL_DIR", folder.string()},
      {"TRELLIS_CHECKPOINT_DIR", (folder / "checkpoint").string()},
      {"TRELLIS_METRICS", trial_reports(folder)},
      {"TRELLIS_PARAMS", trial_params(folder)},
      {"OMP_NUM_THREADS", std::to_string(resources.cpus)}};
  if (gpus) environment.emplace("CUDA_VISIBLE_DEVICES", *gpus);
  if (study.library == Library::wandb) environment.merge(wandb_environment(study, folder));
  return environment;
}

tasks::SupervisedProgram program_order(const StudySpec& study, const TrialCommand& command,
                                       const TrialFolder& folder, const TrialResources& resources,
                                       const std::optional<std::string>& gpus) {
  const Limits& limits = study.limits;
  return {.path = command.path,
          .words = command.words_with(trial_params(folder.path)),
          .folder = command.folder,
          .environment = command_environment(study, folder.path, resources, gpus),
          .order = {.time = nanoseconds(limits.trial_time.value_or(0)),
                    .stall = nanoseconds(limits.no_progress.value_or(0)),
                    .grace = nanoseconds(limits.grace),
                    // What is to be read is cut when it was.
                    .log_bytes = reads_output(study)
                                     ? std::max<decltype(limits.log)>(kMostOutput, limits.log)
                                     : limits.log,
                    .memory = resources.memory.value_or(0),
                    .output = output_of(study)},
          .log = folder.log.fd(),
          .reports = study.library == Library::wandb ? wandb_run_file(study, folder.path)
                                                     : trial_reports(folder.path)};
}

}  // namespace hpo
