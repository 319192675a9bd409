#include "hpo/driver/programs/program_order.h"

#include <algorithm>

namespace hpo {

namespace {

std::int64_t nanoseconds(double seconds) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::min(kMost, seconds * 1e9));
}

bool reads_output(const StudySpec& study) {
  return !study.metric.regex.empty() || std::ranges::any_of(study.others, [](const Metric& other) {
    return !other.regex.empty();
  });
}

}  // namespace

std::map<std::string, std::string> command_environment(const base::Path& folder,
                                                       const TrialResources& resources,
                                                       const std::optional<std::string>& gpus) {
  std::map<std::string, std::string> environment{
      {"TRELLIS_TRIAL_DIR", folder.string()},
      {"TRELLIS_CHECKPOINT_DIR", (folder / "checkpoint").string()},
      {"TRELLIS_METRICS", trial_reports(folder)},
      {"OMP_NUM_THREADS", std::to_string(resources.cpus)}};
  if (gpus) environment.emplace("CUDA_VISIBLE_DEVICES", *gpus);
  return environment;
}

tasks::SupervisedProgram program_order(const StudySpec& study, const TrialCommand& command,
                                       const TrialFolder& folder, const TrialResources& resources,
                                       const std::optional<std::string>& gpus) {
  const Limits& limits = study.limits;
  return {.path = command.path,
          .words = command.words,
          .folder = command.folder,
          .environment = command_environment(folder.path, resources, gpus),
          .order = {.time = nanoseconds(limits.trial_time.value_or(0)),
                    .stall = nanoseconds(limits.no_progress.value_or(0)),
                    .grace = nanoseconds(limits.grace),
                    // What is to be read is cut when it was.
                    .log_bytes = reads_output(study)
                                     ? std::max<decltype(limits.log)>(kMostOutput, limits.log)
                                     : limits.log,
                    .memory = resources.memory.value_or(0)},
          .log = folder.log.fd(),
          .reports = trial_reports(folder.path)};
}

}  // namespace hpo
