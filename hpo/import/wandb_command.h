#pragma once
// The command of a W&B sweep file, whose macros stand for the parameters.

#include <string>
#include <vector>

#include "hpo/import/imported.h"
#include "hpo/import/wandb_parameters.h"
#include "hpo/import/wandb_place.h"

namespace hpo::wandb {

struct Command {
  std::vector<std::string> words;     ///< of ours, escaped; empty: the file names no program
  std::vector<ProgramName> programs;  ///< what it may be that it runs, seen from a folder
  ImportNotes notes;
};

/// How the program of a sweep file, or whoever asks where there is none, gets true and false.
[[nodiscard]] Bools bools_of(const study::Node& root);

/// `root` is the whole file. Throws study::Fault.
[[nodiscard]] Command command_of(const study::Node& root, const Parameters& parameters);

}  // namespace hpo::wandb
