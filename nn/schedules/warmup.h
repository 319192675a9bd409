#pragma once
// warmup: a rise in a line, then the rate (Goyal et al. 2017).

#include "nn/schedules/schedule.h"

namespace nn {

[[nodiscard]] const Schedule& warmup_schedule();

}  // namespace nn
