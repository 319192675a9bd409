#pragma once
// How `ask` and `tell` reach the process that keeps a study.

#include <string>
#include <string_view>

#include "base/file.h"
#include "cli/arguments.h"

namespace cli {

/// Declares `name`, a study that somebody asked already or a study file, and --dir.
void declare_asked(Arguments& arguments);

/// Sends one line to the keeper of the study that is asked, and returns the answer. Starts a
/// keeper where none lives, and says the line again where one died over it: what is said twice
/// counts once. Throws base::Error with the keeper's words.
[[nodiscard]] std::string say_to_keeper(const Arguments& arguments, std::string_view line);

}  // namespace cli
