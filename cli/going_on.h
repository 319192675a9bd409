#pragma once
// A program that goes on where it was, without a GPU that failed.

#include <optional>
#include <string>
#include <string_view>

#include "runtime/gpu_failure.h"

namespace cli {

/// CUDA_VISIBLE_DEVICES for the GPUs that are left. `shown`: what it says now, where it is set.
[[nodiscard]] std::string gpus_without(std::optional<std::string_view> shown,
                                       const rt::GpuFailure& failure);

/// Puts this program in its own place, with the command line and the environment that it was
/// started with, but for CUDA_VISIBLE_DEVICES: a study goes on from what it has on disk, as after a
/// kill. Any thread. Returns where no other GPU is left, or the system refuses.
void go_on_without(const rt::GpuFailure& failure);

}  // namespace cli
