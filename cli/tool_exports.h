#pragma once
// What `export` writes for other tools that show studies.

#include "cli/arguments.h"

namespace cli {

/// Writes event files for TensorBoard into the folder of --output.
int export_tensorboard(const Arguments& arguments);

/// Sends the trials to the MLflow server that --output names, or MLFLOW_TRACKING_URI.
int export_mlflow(const Arguments& arguments);

}  // namespace cli
