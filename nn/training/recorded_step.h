#pragma once
// The kernel calls of one step, recorded by a device that runs them again as one (on CUDA a graph).

#include <cstddef>
#include <cstdint>

#include "kernels/kernels.h"
#include "kernels/step_buffer.h"
#include "nn/data/data_view.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace nn {

/// A recording, or an empty place for one.
class RecordedStep {
 public:
  explicit RecordedStep(const kern::Memory& memory);
  ~RecordedStep();
  RecordedStep(const RecordedStep&) = delete;
  RecordedStep& operator=(const RecordedStep&) = delete;

  /// Returns true if there is a recording that may be run.
  [[nodiscard]] bool made() const noexcept {
    return recording_ != nullptr && generation_ == recorder_.generation();
  }
  /// Records the kernel calls of `step` and runs none of them. Returns false if the device cannot
  /// record, for example for lack of memory. Rethrows what `step` throws.
  template <class F>
  [[nodiscard]] bool record(F step) {
    forget();
    if (!begin()) return false;
    try {
      step();
    } catch (...) {
      abandon();
      throw;
    }
    return end();
  }
  /// Runs the recording behind all calls made before. Needs made().
  void run() const;

 private:
  [[nodiscard]] bool begin() const;
  [[nodiscard]] bool end();
  void abandon() const noexcept;
  void forget() noexcept;

  const kern::Recorder& recorder_;
  void* recording_ = nullptr;
  std::uint64_t generation_ = 0;
};

/// Everything that the kernel calls of a step depend on: trainings with equal keys may share a
/// recording.
struct StepKey {
  const kern::Kernels<float>* kernels;
  ModelSpec spec;
  Hyper hyper;
  ResidentTable table;
  const std::byte* arena;
  bool operator==(const StepKey&) const = default;
};
/// Returns the key of a training in that arena. Learning rates are left out, because kernels read
/// them from the arena.
[[nodiscard]] StepKey step_key(const kern::Kernels<float>& kernels, const ModelSpec& spec,
                               const Hyper& hyper, const ResidentTable& table,
                               const std::byte* arena);

}  // namespace nn
