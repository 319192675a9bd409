#pragma once
// The folder of a trial that runs a program: trials/0007 in the study's folder.

#include <cstdint>
#include <string>
#include <vector>

#include "hpo/space/params.h"
#include "runtime/base/file.h"

namespace hpo {

/// `trials/0007`, relative to the study's folder.
[[nodiscard]] std::string trial_folder_name(std::uint64_t trial);

/// Open for one attempt. Everything is made below the study's folder without following symbolic
/// links.
struct TrialFolder {
  rt::Path path;         ///< absolute
  rt::Path checkpoints;  ///< absolute: kept from attempt to attempt of the same params
  rt::File reports;      ///< metrics.jsonl, appended to by the program, kept like the checkpoints
  rt::File old_log;      ///< what the attempt before printed; none for the first
  rt::File log;          ///< empty
};

/// Makes the folder, or finds it as an attempt with the same params left it; what one with other
/// params left is removed. Throws rt::Error (storage), naming what lies in the way.
[[nodiscard]] TrialFolder open_trial_folder(const rt::Path& study, std::uint64_t trial,
                                            const Params& params);

/// The last lines of what a trial printed, at most `most`.
[[nodiscard]] std::vector<std::string> last_log_lines(const rt::Path& study, std::uint64_t trial,
                                                      std::size_t most);

}  // namespace hpo
