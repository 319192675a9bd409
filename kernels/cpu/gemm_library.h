#pragma once
// Matrix products by the libraries, and which shapes are left to one.

#include "kernels/cpu/machine.h"
#include "kernels/kernels.h"

namespace kern::cpu {

enum class GemmLibrary { own, onednn };

/// A function of instruction set and shape alone (gemm_thresholds.h).
[[nodiscard]] GemmLibrary gemm_choice(Isa, const GemmArgs<float>&);

void onednn_gemm(const GemmArgs<float>&);
/// What tests and benchmarks compare with: no table calls it.
void openblas_gemm(const GemmArgs<float>&);

}  // namespace kern::cpu
