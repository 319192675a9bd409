// What StarPU measures of a machine's memories and buses before its first task, and keeps in files.
#pragma once

#include <string>

#include "base/file.h"

namespace rt::inline v0::detail {

/// Lives while StarPU starts. The files lie in `home`, one set for each host, number of cores and
/// number of GPUs that CUDA shows: a program that sees fewer GPUs does not replace the others'
/// figures. STARPU_PERF_MODEL_DIR and STARPU_HOSTNAME lead there, whatever the user set. Where this
/// machine was not measured yet, programs that start together wait for the first one. What a killed
/// one left is removed, and what is not as the mark has it (names and sizes, written last): StarPU
/// aborts on a file that is cut short.
class Measuring {
 public:
  Measuring(const base::Path& home, int gpus);
  /// StarPU has started: its files are whole.
  void done() noexcept;

 private:
  [[nodiscard]] base::Path mark() const;
  [[nodiscard]] bool is_measured() const;

  base::Path folder_;
  std::string machine_;
  base::File lock_;  ///< none: measured before, or a file system without locks
};

}  // namespace rt::inline v0::detail
