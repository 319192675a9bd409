#pragma once
// How a run's options become a runtime's.

#include "hpo/driver/sweep.h"
#include "runtime/config.h"

namespace hpo {

/// Where results lie that no other run may use: RunOptions::sharing is false.
[[nodiscard]] rt::Path private_store(const RunOptions& options);

/// Workers, executor, store and trace files as `options` and `study` say.
[[nodiscard]] rt::Config config_of(const RunOptions& options, const StudySpec& study);

}  // namespace hpo
