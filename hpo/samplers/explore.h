#pragma once
// From the params of a trial to others near by.

#include <string>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/space/random.h"
#include "hpo/space/space.h"

namespace hpo {

/// How far, and in what, a copy moves away from its source.
struct Exploration {
  std::vector<std::string> parameters;  ///< that move; the others stay as the source has them
  double resample = 0;                  ///< chance that a value is drawn anew instead of perturbed
  double factor = 1.2;                  ///< by which a value is multiplied or divided; > 1
};

/// The value one perturbation up or down, always of the domain: a range multiplies or divides by
/// `factor` and clips, ints and stepped floats moving by at least one step; numbers of a list move
/// to the next larger or smaller one; other values have no neighbour and stay.
[[nodiscard]] ParamValue perturbed(const Domain& domain, const ParamValue& value, double factor,
                                   bool up);

/// A point of the space: each parameter of `how` drawn anew or perturbed, a parameter that only now
/// becomes active drawn anew, one that no longer is dropped; the source itself where that would be
/// forbidden. Takes the same count of numbers from `stream` whatever it does.
[[nodiscard]] Params explored(const Space& space, const Params& source, const Exploration& how,
                              Stream& stream);

}  // namespace hpo
