#pragma once
// Where the folder of a trial that runs a program is.

#include <cstdint>
#include <string>

namespace hpo {

/// `trials/0007`, relative to the study's folder.
[[nodiscard]] std::string trial_folder_name(std::uint64_t trial);

}  // namespace hpo
