#pragma once
// Which GPUs a program gets.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "hpo/study/trial_spec.h"

namespace hpo {

class GpuShare {
 public:
  explicit GpuShare(std::vector<std::string> gpus = base::gpu_names());

  /// GPUs, and the share of each.
  struct Allocation {
    std::vector<std::size_t> gpus;
    double each = 0;
  };
  /// Allocates the GPUs that a trial asks for (none: an empty allocation); nullopt until enough are
  /// free. `gpus: auto` takes the GPU with the fewest programs and is never refused.
  [[nodiscard]] std::optional<Allocation> take(const TrialResources& asked);
  void give_back(const Allocation& part);

  /// For CUDA_VISIBLE_DEVICES: "0,3".
  [[nodiscard]] std::string names(const Allocation& part) const;
  [[nodiscard]] int count() const { return static_cast<int>(gpus_.size()); }

 private:
  struct Gpu {
    std::string name;
    double used = 0;
    int programs = 0;
  };
  std::vector<Gpu> gpus_;
};

}  // namespace hpo
