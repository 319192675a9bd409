#pragma once
// Matrix products by the libraries, and which of the three implementations a shape gets.

#include "kernels/kernels.h"

namespace kern::cpu {

enum class GemmLibrary { own, openblas, onednn };

/// A function of the shape alone, from measurements on several processors: nothing is measured at
/// start, because noise must not change bits.
[[nodiscard]] GemmLibrary gemm_choice(const GemmArgs<float>&);

void openblas_gemm(const GemmArgs<float>&);
void onednn_gemm(const GemmArgs<float>&);

}  // namespace kern::cpu
