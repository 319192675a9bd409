#pragma once
// What ends trials early in a W&B sweep file.

#include <string>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::wandb {

struct Rule {
  std::string yaml;  ///< the line of `early_stop`; empty: there is no rule
  std::vector<std::string> left_out;
};

/// What stands under `early_terminate` of the file. Throws study::Fault.
[[nodiscard]] Rule rule_of(const study::Node& root);

}  // namespace hpo::wandb
