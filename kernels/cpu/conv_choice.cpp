#include "kernels/cpu/conv_choice.h"

#include <algorithm>

namespace kern::cpu {

bool onednn_is_faster(ConvStep step, const Window& g) {
  // Our tiles hold neighbouring pixels of one row: too few of them leave the multiply-add units
  // waiting. A 1x1 kernel is bound by memory, which oneDNN prefetches.
  if (g.groups > 1 || g.dilation_h > 1 || g.dilation_w > 1) return true;
  const bool narrow = g.out_w < 6, pointwise = g.kernel_h == 1 && g.kernel_w == 1;
  switch (step) {
    case ConvStep::forward:
      return narrow || pointwise;
    // The lanes of our vectors are input channels here, and every kernel position costs a pass over
    // them.
    case ConvStep::backward_data:
      return narrow || pointwise || g.in_c < 32 || g.out_c < 48;
    // The tile's rows are the inputs of one kernel row.
    case ConvStep::backward_weights:
      return g.kernel_w * g.in_c * std::min((g.out_c + 15) / 16, 2) < 12;
  }
  return false;
}

}  // namespace kern::cpu
