#pragma once
// A study as an experiment of MLflow, a trial as a run.

#include <cstddef>
#include <span>

#include "hpo/log/study_reader.h"
#include "hpo/mlflow/server.h"

namespace hpo {

/// What a call did, in runs.
struct MlflowSent {
  std::size_t created = 0, changed = 0, unchanged = 0;
  std::size_t frozen = 0;  ///< of which a parameter has changed: MLflow keeps the first value
};

/// Sends the trials. What the server has already is not sent again, so that the same call goes on
/// where it was cut off, or after the study went on. Throws base::Error (storage).
MlflowSent send_to_mlflow(const StudyReader& study, std::span<const TrialRow> trials,
                          MlflowServer& server);

}  // namespace hpo
