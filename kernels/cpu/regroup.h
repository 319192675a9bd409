#pragma once
// Units that come and go, on cores: what no vector instruction makes quicker.

#include "kernels/kernels.h"

namespace kern::cpu {

void regroup(Exec&, const RegroupArgs<float>&);

}  // namespace kern::cpu
