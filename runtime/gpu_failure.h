// A GPU that serves the program no more, whatever it is asked for: a process that met such a fault
// cannot use the device again, and what lies in its memory is lost.
#pragma once

#include <string>

namespace rt::inline v0 {

struct GpuFailure {
  int gpu = 0;   ///< which of those that CUDA shows the program, from 0 on
  int gpus = 1;  ///< how many it shows
  std::string why;
};

/// Config::gpu_failed.
using OnGpuFailure = void (*)(const GpuFailure&);

/// To be called in a `.cuda` body that meets such a fault, before it throws: calls
/// Config::gpu_failed, if there is one, on this thread. Elsewhere it does nothing.
void report_gpu_failure(const std::string& why);

}  // namespace rt::inline v0
