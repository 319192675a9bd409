#pragma once
// Which convolutions our own vector code leaves to oneDNN.

#include "kernels/kernels.h"

namespace kern::cpu {

enum class ConvStep { forward, backward_data, backward_weights };

/// Those that are faster there, and all that our own code has no matrix for: groups and dilation. A
/// function of the geometry alone, from measurements on AVX-512 and AVX2 processors: nothing is
/// measured at start, because noise must not change bits.
[[nodiscard]] bool onednn_is_faster(ConvStep, const Window&);

}  // namespace kern::cpu
