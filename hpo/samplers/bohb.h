#pragma once
// BOHB's model (Falkner, Klein and Hutter, "BOHB: robust and efficient hyperparameter optimization
// at scale", ICML 2018), with tpe's densities in place of the paper's.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Options random and candidates. What trials reported at one step is compared: at the highest one
/// at which at least twice as many did as the space has parameters, and two more; a trial that is
/// complete is there at every step. Beside them stand as many trials that did not get there, the
/// newest ones that a younger trial has overtaken, and count as worse, by how far they came and
/// what they had there: a model of those alone that a rule let through does not know what made them
/// good, and one of all trials knows little else. It is made anew whenever there is a tenth more to
/// learn from. A share `random` of the proposals is drawn at random; before there is a model they
/// are spread evenly. Meant for a stopping rule with rungs.
[[nodiscard]] SamplerKind bohb_sampler();

}  // namespace hpo
