#pragma once
// Which file a word for a network means.

#include <string>

#include "cli/arguments.h"
#include "runtime/base/file.h"

namespace cli {

/// The model's file that `word` names: itself, or in a study's folder the best network, or what
/// `train` wrote. Throws rt::Error (storage) for a file that is not there, (usage) for an unknown
/// study, with the nearest one, and for one without a network.
[[nodiscard]] rt::Path model_path(const Arguments& arguments, const std::string& word);

}  // namespace cli
