#pragma once
// The parameters of a W&B sweep file.

#include <string>
#include <utility>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::wandb {

struct Parameters {
  std::string yaml;  ///< a line a parameter, indented by two
  /// What a program calls a parameter, and what it is called here.
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<std::string> left_out;
};

/// What stands under `parameters`. Throws study::Fault.
[[nodiscard]] Parameters parameters_of(const study::Node& block);

}  // namespace hpo::wandb
