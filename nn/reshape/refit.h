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
/// the calibration rows is never larger than without a refit). Optimizer slots stay.
template <class T>
void refit(const kern::LinearAlgebra& algebra, const InputGram& gram, const Reader& reader,
           const std::vector<bool>& kept, Net<T>& net);

inline constexpr double kRidge = 1e-3;

/// Mean over rows and outputs of the squared change of the reader's sums on the calibration rows
/// when its weights become those of `after`, whose weights for removed units count as 0.
template <class T>
[[nodiscard]] double reading_error(const InputGram& gram, const Reader& reader,
                                   const std::vector<bool>& kept, const Net<T>& before,
                                   const Net<T>& after);

extern template void refit(const kern::LinearAlgebra&, const InputGram&, const Reader&,
                           const std::vector<bool>&, Net<float>&);
extern template void refit(const kern::LinearAlgebra&, const InputGram&, const Reader&,
                           const std::vector<bool>&, Net<double>&);
extern template double reading_error(const InputGram&, const Reader&, const std::vector<bool>&,
                                     const Net<float>&, const Net<float>&);
extern template double reading_error(const InputGram&, const Reader&, const std::vector<bool>&,
                                     const Net<double>&, const Net<double>&);

}  // namespace nn
