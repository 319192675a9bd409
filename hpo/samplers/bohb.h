#pragma once
// BOHB's model (Falkner, Klein and Hutter, "BOHB: robust and efficient hyperparameter optimization
// at scale", ICML 2018), with tpe's densities in place of the paper's.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Options random and candidates. What trials reported at one step is compared: at the highest one
/// at which at least as many did as the space has parameters, and two more. A share `random` of the
/// proposals, and all before that, is drawn at random. Meant for a stopping rule with rungs.
[[nodiscard]] SamplerKind bohb_kind();

}  // namespace hpo
