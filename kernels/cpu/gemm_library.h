#pragma once
// Matrix products by the libraries, and which of the three implementations a shape gets.

#include "kernels/cpu/machine.h"
#include "kernels/kernels.h"

namespace kern::cpu {

enum class GemmLibrary { own, openblas, onednn };

/// A function of instruction set and shape alone (gemm_borders.h).
[[nodiscard]] GemmLibrary gemm_choice(Isa, const GemmArgs<float>&);

void openblas_gemm(const GemmArgs<float>&);
void onednn_gemm(const GemmArgs<float>&);

}  // namespace kern::cpu
