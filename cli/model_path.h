#pragma once
// Which file a word for a network means.

#include <string>

#include "base/file.h"
#include "cli/arguments.h"

namespace cli {

/// The model's file that `word` names: itself, or in a study's folder the best network, or what
/// `train` wrote. Throws base::Error (storage) for a file that is not there, (usage) for an unknown
/// study, with the nearest one, and for one without a network.
[[nodiscard]] base::Path model_path(const Arguments& arguments, const std::string& word);

}  // namespace cli
