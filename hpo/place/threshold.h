#pragma once
// The threshold between networks for cores and networks for GPUs, chosen for one study on one
// platform.

#include <cstddef>
#include <span>

#include "hpo/place/timetable.h"
#include "runtime/place/device_model.h"

namespace hpo {

/// The value of tasks::DeviceRule::gpu_from with which the trials take the least time on paper, of
/// equal ones the highest: infinity where cores alone are as quick, 0 where GPUs alone are quicker
/// than anything else. The number is rounded down to two digits, so that it can be read and
/// written.
[[nodiscard]] double best_threshold(std::span<const PaperTrial> trials,
                                    const rt::Platform& platform, std::size_t slots);

/// The kind that follows from a threshold.
[[nodiscard]] KindOf split_at(double gpu_from);

}  // namespace hpo
