#pragma once

#include "kernels/kernels.h"

namespace kern::KERN_ON {

/// The device's table of a precision; its `algebra`, which belongs to the program's memory, is left
/// out.
[[nodiscard]] const Kernels<float>& kernels(Precision precision);

}  // namespace kern::KERN_ON
