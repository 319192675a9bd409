#pragma once
// What ends trials early in a W&B sweep file.

#include <string>

#include "hpo/import/imported.h"
#include "hpo/study/node.h"

namespace hpo::wandb {

struct Rule {
  std::string yaml;  ///< the line of `early_stop`; empty: there is no rule
  ImportNotes notes;
};

/// What stands under `early_terminate` of the file. Throws study::Fault.
[[nodiscard]] Rule rule_of(const study::Node& root);

}  // namespace hpo::wandb
