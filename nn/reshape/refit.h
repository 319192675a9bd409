#pragma once
// Least squares after a removal: what is left of a layer's inputs takes over what the others said.

#include <span>
#include <vector>

#include "nn/reshape/calibration.h"
#include "nn/reshape/reading.h"

namespace nn {

/// The change D of the weights of `reader` (bias included) for kept units that minimises
/// |A D - H_R W_R|^2 + lambda |D|^2, where A are the kept columns and 1, H_R W_R what the removed
/// units contributed on the calibration rows, and lambda = kRidge times the mean of diag(A^T A).
/// That is ridge regression (He et al. 2017 fit from 0; towards the present weights, the error on
/// the rows that it is fitted on is never larger than without a refit). Where `seen` has samples
/// instead of sums of products, it is fitted on those, in the dual form
/// D = A^T (A A^T + lambda I)^-1 H_R W_R, whose memory does not grow by the square of the columns.
/// [kept columns and the bias's, outputs]; empty where the network has diverged, so that nothing
/// fits. `weights` is the reader's weight tensor.
template <class T>
[[nodiscard]] std::vector<T> refit(const kern::LinearAlgebra& algebra, const LayerInputs<T>& seen,
                                   const Reader& reader, const std::vector<bool>& kept,
                                   const Fetched<T>& weights);

/// Adds such a change to the network in which only the kept units are left; `outputs` are those of
/// the change that `reader`, a layer of this network, still has. Optimizer slots stay.
template <class T>
void change_reader(const ReshapeContext<T>& hands, Net<T>& net, const Reader& reader,
                   std::span<const std::size_t> outputs, std::span<const T> change);

inline constexpr double kRidge = 1e-3;

extern template std::vector<float> refit(const kern::LinearAlgebra&, const LayerInputs<float>&,
                                         const Reader&, const std::vector<bool>&,
                                         const Fetched<float>&);
extern template std::vector<double> refit(const kern::LinearAlgebra&, const LayerInputs<double>&,
                                          const Reader&, const std::vector<bool>&,
                                          const Fetched<double>&);
extern template void change_reader(const ReshapeContext<float>&, Net<float>&, const Reader&,
                                   std::span<const std::size_t>, std::span<const float>);
extern template void change_reader(const ReshapeContext<double>&, Net<double>&, const Reader&,
                                   std::span<const std::size_t>, std::span<const double>);

}  // namespace nn
