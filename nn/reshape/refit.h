#pragma once
// Least squares after a removal: what is left of a layer's inputs takes over what the others said.

#include <vector>

#include "nn/reshape/calibration.h"
#include "nn/reshape/reading.h"

namespace nn {

/// Adds to the weights of `reader` (bias included) for kept units the change D that minimises
/// |A D - H_R W_R|^2 + lambda |D|^2, where A are the kept columns and 1, H_R W_R what the removed
/// units contributed on the calibration rows, and lambda = kRidge times the mean of diag(A^T A).
/// That is ridge regression (He et al. 2017 fit from 0; towards the present weights, the error on
/// the rows that it is fitted on is never larger than without a refit). Where `seen` has samples
/// instead of sums of products, it is fitted on those, in the dual form
/// D = A^T (A A^T + lambda I)^-1 H_R W_R, whose memory does not grow by the square of the columns.
/// Optimizer slots stay.
template <class T>
void refit(const kern::LinearAlgebra& algebra, const LayerInputs<T>& seen, const Reader& reader,
           const std::vector<bool>& kept, Net<T>& net);

inline constexpr double kRidge = 1e-3;

extern template void refit(const kern::LinearAlgebra&, const LayerInputs<float>&, const Reader&,
                           const std::vector<bool>&, Net<float>&);
extern template void refit(const kern::LinearAlgebra&, const LayerInputs<double>&, const Reader&,
                           const std::vector<bool>&, Net<double>&);

}  // namespace nn
