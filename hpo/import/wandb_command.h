#pragma once
// The command of a W&B sweep file, whose macros stand for the parameters.

#include <string>
#include <vector>

#include "hpo/import/wandb_parameters.h"

namespace hpo::wandb {

struct Command {
  std::vector<std::string> words;  ///< of our command, escaped; empty: the file names no program
  std::vector<std::string> left_out;
};

/// `root` is the whole file. Throws study::Fault.
[[nodiscard]] Command command_of(const study::Node& root, const Parameters& parameters);

}  // namespace hpo::wandb
