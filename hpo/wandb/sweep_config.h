#pragma once
// The file in which the wandb package finds the parameters of a sweep's run.

#include <map>
#include <string>
#include <vector>

#include "hpo/space/params.h"

namespace hpo::wandb {

/// The names of a parameter in wandb.config, from the outermost map on, by its name here.
using ConfigNames = std::map<std::string, std::vector<std::string>>;

/// The file (YAML) with these values of wandb.config. What is not in `names` keeps its name. The
/// strings True, False and None, and lists in Python's form, are what an import made of W&B's
/// values: they become values again.
[[nodiscard]] std::string sweep_config(const Params& params, const ConfigNames& names);

}  // namespace hpo::wandb
