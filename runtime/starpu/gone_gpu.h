// What StarPU does about a GPU that refuses what it asks of it: by itself it would abort the
// process.
#pragma once

#include "runtime/core/backend.h"
#include "runtime/gpu_failure.h"

namespace rt::inline v0::detail {

/// As long as it lives, `told` (null: nobody) hears of a GPU that StarPU cannot use any more. If it
/// returns, the process ends with the exit code of no_device. One at a time.
class ToldOfGoneGpus {
 public:
  /// `shown`: the number of GPUs that CUDA shows the program.
  ToldOfGoneGpus(OnGpuFailure told, int shown);
  ~ToldOfGoneGpus();
  ToldOfGoneGpus(const ToldOfGoneGpus&) = delete;
  ToldOfGoneGpus& operator=(const ToldOfGoneGpus&) = delete;

  /// The GPU of the calling thread.
  [[nodiscard]] ShownGpu this_gpu() const noexcept;
  /// Does not return.
  [[noreturn]] void end(const std::string& why) const;

 private:
  OnGpuFailure told_;
  int shown_;
};

}  // namespace rt::inline v0::detail
