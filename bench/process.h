// Running another program to its end, timed from outside, as a user would see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/watcher.h"

namespace bench {

struct Finished {
  int exit_code = -1;      ///< 128 + signal when a signal ended it
  double seconds = 0;      ///< wall time from before its start to after its end
  double cpu_seconds = 0;  ///< of all its threads, and of its children that it waited for
  Used used;               ///< zero unless it was watched
  std::string output;      ///< what it wrote to standard output
};

enum class Watch : std::uint8_t { no, yes };

/// Runs `words` (words[0] is looked up in PATH) with standard error left alone. Throws base::Error
/// (usage) when there is no such program, base::StartFailure, base::NoMore.
[[nodiscard]] Finished run_program(const std::vector<std::string>& words, Watch watch = Watch::no);

/// Throws base::Error (internal) that names `who` unless it ended with exit code 0.
void must_end_well(const Finished& done, const std::string& who);

/// The Python that has the rivals: $TRELLIS_RIVALS_PYTHON, else the one that tools/setup/rivals.sh
/// made in the cache folder. Empty when there is none; says on standard error how to get it.
[[nodiscard]] std::string rivals_python();

/// The folder of rival programs, bench/rivals of the source tree this was built from or of the
/// bundle that it came in. Throws base::Error (storage) where there is neither.
[[nodiscard]] std::string rivals_folder();

/// Where a module or program is that was built for a benchmark: where the runtime finds its
/// plugins, or in the build tree. Nothing where it is missing.
[[nodiscard]] std::optional<base::Path> built_for_bench(const std::string& name);

/// The `trellis` program beside this one.
[[nodiscard]] std::string own_program();

}  // namespace bench
