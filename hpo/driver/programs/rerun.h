#pragma once
// One trial's program again, by hand: in the foreground, with its output on the terminal.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What became of it.
struct Rerun {
  Ended end;
  std::vector<Report> reports;  ///< what its metrics file and its output say
  base::Path folder;            ///< its folder, as TRELLIS_TRIAL_DIR
};

/// Runs the program of trial `params` in the foreground (see run_in_foreground) and without limits,
/// in an empty trial folder below `folder`; ends and reports count as in a sweep. Throws
/// base::Error: study (see trial_command), storage, locked (another one of this trial).
[[nodiscard]] Rerun rerun_command(const StudySpec& study, std::uint64_t trial, const Params& params,
                                  const base::Path& folder);

}  // namespace hpo
