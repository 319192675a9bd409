#pragma once
// What the supervisor of a trial's program is told.

#include <map>
#include <optional>
#include <string>

#include "base/file.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/study/command.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "tasks/supervised.h"

namespace hpo {

/// Bytes of output that metric.regex reads.
inline constexpr std::int64_t kMostOutput = 256'000'000;

/// True if metric.regex reads what programs print.
[[nodiscard]] bool reads_output(const StudySpec& study);

/// What a trial's program finds in its environment. `gpus`: for CUDA_VISIBLE_DEVICES; none leaves
/// it as it is.
[[nodiscard]] std::map<std::string, std::string> command_environment(
    const StudySpec& study, const base::Path& folder, const TrialResources& resources,
    const std::optional<std::string>& gpus);

/// The program of a trial in its folder, whose log is open for appending.
[[nodiscard]] tasks::SupervisedProgram program_order(const StudySpec& study,
                                                     const TrialCommand& command,
                                                     const TrialFolder& folder,
                                                     const TrialResources& resources,
                                                     const std::optional<std::string>& gpus);

}  // namespace hpo
