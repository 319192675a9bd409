#pragma once
// How a run's options become a runtime's.

#include "hpo/driver/sweep.h"
#include "runtime/config.h"

namespace hpo {

/// Where results lie that no other run may use: RunOptions::sharing is false.
[[nodiscard]] base::Path private_store(const RunOptions& options);

/// How a study's networks share GPUs: workers of each, and what is kept free for them.
void share_gpus(const StudySpec& study, rt::Config& config);

/// Workers, executor, store and trace files as `options` and `study` say.
[[nodiscard]] rt::Config config_of(const RunOptions& options, const StudySpec& study);

}  // namespace hpo
