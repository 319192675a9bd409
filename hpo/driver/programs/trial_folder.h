#pragma once
// The folder of a trial that runs a program: trials/0007 in the study's folder.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "hpo/log/trial_place.h"
#include "hpo/space/params.h"

namespace hpo {

/// The file in which the program of a trial with this folder reports.
[[nodiscard]] std::string trial_reports(const base::Path& folder);

/// The file with the params of the trial with this folder.
[[nodiscard]] std::string trial_params(const base::Path& folder);

/// The folder of checkpoints in it.
inline constexpr const char* kCheckpointFolder = "checkpoint";

/// Open. Everything is made below the study's folder without following symbolic links. Reports and
/// checkpoints are kept from attempt to attempt of the same params.
struct TrialFolder {
  base::Path path;               ///< absolute
  base::File self;               ///< the folder
  base::File log;                ///< what the attempt before printed; none for the first
  bool has_checkpoints = false;  ///< that the attempt before left

  /// metrics.jsonl as it is now: programs append to it, but may also make it anew. None where there
  /// is no regular file of that name.
  [[nodiscard]] base::File reports() const;
  /// The log, for reading; none where there is no such regular file.
  [[nodiscard]] base::File printed() const;

  /// Adds what a program has reported or printed elsewhere. Throws base::Error (storage);
  /// TrialFailure where something else than the file lies there.
  void add_reports(std::string_view bytes) const;
  void add_to_log(std::string_view bytes) const;
  /// Likewise.
  void empty_reports() const;
};

/// Makes the folder, or finds it as an attempt with the same params left it; what one with other
/// params left is removed. Throws base::Error (storage), naming what lies in the way.
[[nodiscard]] TrialFolder open_trial_folder(const base::Path& study, std::uint64_t trial,
                                            const Params& params);

/// Another attempt begins: `log` is an empty file that it may print to. Throws base::Error
/// (storage).
void begin_log(TrialFolder& folder);

/// Goes on with the log that there is: it may be printed to. False where another process has done
/// this before and still has its `log` open, or what inherited that. Throws base::Error (storage).
[[nodiscard]] bool continue_log(TrialFolder& folder);

/// Leaves what an attempt finds that is the first: no reports, no checkpoints, an empty log. Throws
/// likewise.
void renew(TrialFolder& folder);

/// Another program begins to report where one was cut off. Throws as add_reports().
void begin_reports(const TrialFolder& folder);

/// The last lines of a file that programs write, at most `most`; none of one that is no file, or
/// cannot be read.
[[nodiscard]] std::vector<std::string> last_lines_of(const base::Path& path, std::size_t most);
/// Those of what a trial printed.
[[nodiscard]] std::vector<std::string> last_log_lines(const base::Path& study, std::uint64_t trial,
                                                      std::size_t most);

}  // namespace hpo
