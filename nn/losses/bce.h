#pragma once
// bce: binary cross entropy of the sigmoid of one output a row, for targets of two classes. The
// classes are coded as they are numbered (in ascending order of their names): the first is 0, the
// second 1, and the output is the logit of the second. Label smoothing moves both towards 1/2; a
// class weight multiplies the rows of its class.

#include "nn/losses/loss.h"

namespace nn {

[[nodiscard]] const Loss& bce_loss();

}  // namespace nn
