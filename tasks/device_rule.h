#pragma once
// Which kind of device a network's tasks are for.

#include <limits>

#include "nn/model/spec.h"
#include "nn/training/hyper.h"
#include "runtime/context.h"

namespace tasks {

/// FLOPs that are counted for one step of training, as far as they do not depend on the data.
[[nodiscard]] double step_flops(const nn::ModelSpec& spec, const nn::Hyper& hyper);

/// The kind follows from what the network is and one number of the study, never from load: the bits
/// of a result depend on it. After a reshape it follows from the new shape, so a network that grows
/// past the threshold goes on elsewhere with its next task.
struct DeviceRule {
  /// The threshold that keeps all work off GPUs.
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// Networks whose step counts so many FLOPs, or more, are for a GPU.
  double gpu_from = kNever;

  [[nodiscard]] rt::Device kind_for(const nn::ModelSpec& spec, const nn::Hyper& hyper) const;
  bool operator==(const DeviceRule&) const = default;
};

}  // namespace tasks
