#pragma once
// The files that a study's program consists of, as far as its command names them: whether a script
// is still the one that earlier trials ran.

#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/study/command.h"

namespace hpo {

/// Under which name the log keeps them.
inline constexpr const char* kProgramFilesFact = "program_files";

/// The regular files of at most 64 MB that words of the command name, from the program's folder on,
/// each with a hash of its bytes: a line each, "HASH WORD". A program that was found in PATH is not
/// among them.
[[nodiscard]] std::string program_files(const TrialCommand& command);

/// What differs between two such texts, a change for each file that both name.
[[nodiscard]] std::vector<Changed> changed_files(std::string_view before, std::string_view now);

}  // namespace hpo
