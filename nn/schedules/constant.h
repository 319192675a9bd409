#pragma once
// constant: the optimizer's own rate throughout.

#include "nn/schedules/schedule.h"

namespace nn {

[[nodiscard]] const Schedule& constant_schedule();

}  // namespace nn
