#pragma once
// drop: a layer less, or a residual block less when the layer named opens or closes one. What
// remains is carried as it is, nothing is fitted. What the network computes stays exactly as it is
// where what goes does nothing:
//   a block        whose last layer with weights has none that is not 0, and no activation follows
//                  the sum but one that the block's input has been through;
//   a plain layer  with the unit matrix, bias 0 and activation none, or relu behind relu.
// `exact: true` insists on that; else anything may be dropped whose removal leaves the shapes
// fitting.

#include "nn/reshape/kind.h"

namespace nn {

[[nodiscard]] const ReshapeKind& drop_operation();

/// Whether dropping changes nothing of what a network computes, whose numbers lie in `memory`.
template <class T>
[[nodiscard]] bool drops_exactly(const Net<T>& net, const std::string& layer,
                                 const kern::Memory& memory = kern::kOwnMemory);

extern template bool drops_exactly(const Net<float>&, const std::string&, const kern::Memory&);
extern template bool drops_exactly(const Net<double>&, const std::string&, const kern::Memory&);

}  // namespace nn
