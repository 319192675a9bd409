#pragma once
// What `export` writes for other tools that show studies.

#include "cli/arguments.h"

namespace cli {

/// Writes event files for TensorBoard into the folder of --output.
int export_tensorboard(const Arguments& arguments);

}  // namespace cli
