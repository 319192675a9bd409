#pragma once
// cosine: half a wave of the cosine from the rate to its floor (Loshchilov & Hutter 2017, without
// restarts), then the floor.

#include "nn/schedules/schedule.h"

namespace nn {

[[nodiscard]] const Schedule& cosine_schedule();

}  // namespace nn
