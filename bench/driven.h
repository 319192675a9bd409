#pragma once
// A whole study on disk, with a benchmark's own work behind it.

#include <atomic>
#include <string>

#include "hpo/driver/driver.h"
#include "runtime/config.h"

namespace bench {

/// Real seconds from an empty `folder` (what is there is removed) to the end of `study`: log and
/// runtime opened, every trial run by `work` and logged, all closed. `interrupts`: null, or what
/// ends it early.
double run_study(const hpo::StudySpec& study, hpo::TrialWork& work, const base::Path& folder,
                 const rt::Config& config, const std::atomic<int>* interrupts = nullptr);

}  // namespace bench
