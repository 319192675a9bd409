#pragma once
// Group lasso on units: training pulls whole units to 0, so that those which are not worth it can
// be removed (PruneTrain, Lym et al., SC'19).
//
// A proximal step (Yuan & Lin 2006; Parikh & Boyd 2014, section 6.5.1) behind each optimizer step:
// every unit's numbers are multiplied by max(0, 1 - share * mean / norm), where norm is the unit's
// (unit_norms.h) and mean that of its layer's units. So units that no gradient holds lose equal
// amounts until they are exactly 0, while those that are worth it stay. Weighing the penalty of a
// layer by its mean norm takes the place of the usual square root of a group's size: what a share
// does then depends neither on a layer's width nor on how its weights were drawn. The groups of
// neighbouring layers share the weights between them; their steps are done one after another, in
// the order of the layers. As with a decoupled weight decay, the optimizer's slots do not see it.

#include <vector>

#include "kernels/kernels.h"
#include "nn/training/unit_norms.h"

namespace nn {

/// Made once for a segment of steps; then nothing allocates.
template <class T>
class GroupLasso {
 public:
  explicit GroupLasso(const ModelSpec& spec);

  /// One proximal step on weights in the layout of `spec`: each unit loses `share` times the mean
  /// norm of its layer's units.
  void pull(const kern::Kernels<T>& kernels, kern::Exec& exec, double share, T* weights);

 private:
  std::vector<UnitNumbers> groups_;
  std::vector<T> numbers_;  ///< one a unit of the largest group: squares, norms, factors
};

extern template class GroupLasso<float>;
extern template class GroupLasso<double>;

}  // namespace nn
