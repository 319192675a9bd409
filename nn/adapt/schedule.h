#pragma once
// schedule: operations at fixed moments. The cheapest way to adapt: nothing is tried in vain.

#include "nn/adapt/policy.h"

namespace nn {

[[nodiscard]] PolicyKind schedule_policy();

}  // namespace nn
