// What training on GPUs can't multiply in.
#pragma once

#include <string_view>

#include "kernels/precision.h"

namespace nn {

/// Why no GPU trains in that precision, whatever device there is, in a few words; empty where they
/// do.
[[nodiscard]] std::string_view gpu_lacks(kern::Precision precision);

}  // namespace nn
