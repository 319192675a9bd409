#pragma once
// one_cycle: up and down along half waves of the cosine (Smith & Topin 2018, as PyTorch's two
// phases; the optimizer's momentum stays).

#include "nn/schedules/schedule.h"

namespace nn {

[[nodiscard]] const Schedule& one_cycle_schedule();

}  // namespace nn
