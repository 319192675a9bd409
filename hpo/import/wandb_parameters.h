#pragma once
// The parameters of a W&B sweep file.

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hpo/import/imported.h"
#include "hpo/study/node.h"

namespace hpo::wandb {

/// What becomes of true and false.
enum class Bools : std::uint8_t {
  words,   ///< the texts True and False, as Python puts them into a word of a command
  flags,   ///< stay where a parameter has nothing else, for options without a value
  values,  ///< stay, for who reads JSON
};

struct Parameters {
  std::string yaml;  ///< a line a parameter, indented by two
  /// What a program calls a parameter, and what it is called here.
  std::vector<std::pair<std::string, std::string>> names;
  /// What it is called here, and its names in wandb.config, from the outermost map on.
  std::vector<std::pair<std::string, std::vector<std::string>>> paths;
  std::set<std::string> bools;  ///< our names of those that are true or false and nothing else
  std::set<std::string> texts;  ///< of those that are strings and nothing else
  ImportNotes notes;
};

/// What stands under `parameters`. Throws study::Fault.
[[nodiscard]] Parameters parameters_of(const study::Node& block, Bools bools);

}  // namespace hpo::wandb
