// One training of all networks of a workload by us.
#pragma once

#include "bench/workloads.h"
#include "kernels/precision.h"

namespace bench {

struct Trained {
  double seconds = 0;   ///< of the epochs alone: everything is loaded and compiled before
  double accuracy = 0;  ///< on the test rows, mean over the networks
  double flops = 0;     ///< counted (nn/model/spec.h)
};

/// Networks are born from `seed` and numbers behind it, and rows are shuffled under it. `packs`:
/// rt::Config's.
[[nodiscard]] Trained train_ours(const Workload& workload, const nn::DataSpec& source,
                                 kern::Precision precision = kern::Precision::f32,
                                 std::uint64_t seed = 1, bool packs = true);

}  // namespace bench
