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

  /// GPUs and how much of each.
  struct Part {
    std::vector<std::size_t> gpus;
    double each = 0;
  };
  /// A part as `asked`; nothing while it is not free.
  [[nodiscard]] std::optional<Part> take(const TrialResources& asked);
  void give_back(const Part& part);

  /// For CUDA_VISIBLE_DEVICES: "0,3".
  [[nodiscard]] std::string names(const Part& part) const;
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
