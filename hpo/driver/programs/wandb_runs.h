#pragma once
// Programs that get their parameters and report by the wandb package: it runs without a connection,
// and what it logs becomes reports.

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "base/file.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/space/params.h"
#include "hpo/study/spec.h"
#include "hpo/wandb/run_log.h"

namespace hpo {

/// What the package finds in its environment; `folder` is the trial's. A mode and a silence that
/// this process's own environment sets stay as they are.
[[nodiscard]] std::map<std::string, std::string> wandb_environment(const StudySpec& study,
                                                                   const base::Path& folder);

/// The file to which the package adds while the program with this environment logs.
[[nodiscard]] std::string wandb_run_file(const StudySpec& study, const base::Path& folder);

/// The runs of one attempt. Not thread-safe.
class WandbRuns {
 public:
  /// Writes the file with the parameters. Runs that are there already are those of earlier
  /// attempts. `folder` outlives this. Throws base::Error (storage).
  WandbRuns(const StudySpec& study, const Params& params, const TrialFolder& folder);

  /// Adds to the trial's reports what was logged since the last call; with `over`, also what a
  /// run's summary alone has. Throws TrialFailure where a file cannot be read as a run; base::Error
  /// (storage).
  void read(bool over);

 private:
  struct Run {
    std::uint64_t read = 0;  ///< bytes
    wandb::RunLog log;
  };

  void take(const std::string& name, Run& run);

  const TrialFolder& folder_;
  std::set<std::string> before_;     ///< files of earlier attempts
  std::map<std::string, Run> runs_;  ///< by the file, relative to the trial's folder
};

}  // namespace hpo
