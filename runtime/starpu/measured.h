// What StarPU measures of a machine's memories and buses before its first task, and keeps in files.
#pragma once

#include "runtime/base/file.h"

namespace rt::detail {

/// Lives while StarPU starts. The files lie in `home`, one set for each host, number of cores and
/// number of GPUs that CUDA shows: a program that sees fewer GPUs does not replace the others'
/// figures. Where this machine was not measured yet, programs that start together wait for the
/// first one, and what a killed one left is removed: StarPU aborts on a file that is cut short.
class Measuring {
 public:
  Measuring(const Path& home, int gpus);
  /// StarPU has started: its files are whole.
  void done();

 private:
  Path mark_;
  File lock_;  ///< none: measured before, or a file system without locks
};

}  // namespace rt::detail
