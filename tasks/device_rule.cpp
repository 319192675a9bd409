#include "tasks/device_rule.h"

namespace tasks {

double step_flops(const nn::ModelSpec& spec, const nn::Hyper& hyper) {
  return static_cast<double>(nn::flops_per_row(spec).training) * hyper.batch;
}

rt::Device DeviceRule::kind_for(const nn::ModelSpec& spec, const nn::Hyper& hyper) const {
  if (gpu_from == std::numeric_limits<double>::infinity()) return rt::Device::cpu;
  return step_flops(spec, hyper) >= gpu_from ? rt::Device::cuda : rt::Device::cpu;
}

}  // namespace tasks
