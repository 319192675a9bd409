// Where programs are. Thread-safe as long as nobody changes the environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace base {

/// The file that `word` names as a program: a path, relative to `folder`, when it has a slash, else
/// the first in PATH; nothing when there is none that may be run.
[[nodiscard]] std::optional<std::string> find_executable(const std::string& word,
                                                         const std::string& folder);

/// This process's own program.
[[nodiscard]] Path this_program();
/// The file of that name beside it.
[[nodiscard]] Path beside_this_program(std::string_view name);

/// Where what was built with this program is looked for, best first: the folder that
/// TRELLIS_PLUGIN_DIR names, that of the runtime's library, `trellis` in it, and the folder
/// `made_in` of a build tree or an unpacked bundle, wherever that was moved to.
[[nodiscard]] std::vector<Path> folders_of_parts(std::string_view made_in);

/// The longest word that the system passes to a program, in bytes.
[[nodiscard]] std::size_t longest_word();

/// Names of the files in the folders of PATH, for messages; in no particular order.
[[nodiscard]] std::vector<std::string> names_in_path();

}  // namespace base
