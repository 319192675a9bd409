#pragma once
// Studies that a job of Slurm drives (`sweep --detach`), as long as that waits to begin.

#include <optional>
#include <string>

#include "base/file.h"
#include "cli/arguments.h"

namespace cli {

/// A job that is to drive a study.
struct SubmittedDriver {
  base::Path folder;  ///< of the study, which may have no log yet
  std::string job;    ///< its number
  std::string state;  ///< "PENDING (Resources)"
};

/// That of RUN, where one waits or runs; nothing for another study, and where nobody can ask Slurm.
[[nodiscard]] std::optional<SubmittedDriver> submitted_driver(const Arguments& arguments);

/// Cancels it. Throws base::Error (storage) with Slurm's words where that is not possible.
void cancel(const SubmittedDriver& driver);

}  // namespace cli
