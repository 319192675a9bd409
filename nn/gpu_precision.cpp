#include "nn/gpu_precision.h"

namespace nn {

std::string_view gpu_lacks(kern::Precision precision) {
  return precision == kern::Precision::f32 ? "" : "networks on GPUs are trained in f32";
}

}  // namespace nn
