#pragma once
// The fast float table, put together for one instruction set. Private to kernels/ and its tests.

#include "kernels/cpu/machine.h"
#include "kernels/kernels.h"

namespace kern::cpu {

/// The table whose vector code is compiled for `isa`, which must not be above best_isa().
[[nodiscard]] const Kernels<float>& table(Isa isa);

/// The same without the libraries: our own code for every shape.
[[nodiscard]] const Kernels<float>& own_table(Isa isa);

/// The table of avx512 whose products round their operands to bf16. Only where has_bf16().
[[nodiscard]] const Kernels<float>& bf16_table();

}  // namespace kern::cpu
