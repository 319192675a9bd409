#pragma once
// step: the rate times a factor every so many epochs.

#include "nn/schedules/schedule.h"

namespace nn {

[[nodiscard]] const Schedule& step_schedule();

}  // namespace nn
