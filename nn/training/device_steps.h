#pragma once
// The host's side of an asynchronous training: rows, rates and image moves of its steps are copied
// to device memory, where kernels read those of their step (kernels/step_buffer.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/step_buffer.h"
#include "nn/training/augment.h"
#include "nn/training/step_plan.h"

namespace nn {

/// The steps of one segment in device memory, a run of them at a time.
class DeviceSteps {
 public:
  /// Returns the most steps of a run.
  [[nodiscard]] static int most_steps(std::int32_t batch, const Augment& augment);
  /// Returns the bytes of device memory for a run.
  [[nodiscard]] static std::size_t bytes(std::int32_t batch, const Augment& augment);

  /// In bytes() bytes of `memory` that begin with `step_buffer` and are 64-byte aligned. `number`
  /// is Step::number of the first step.
  DeviceSteps(const kern::Memory& memory, const StepPlan& plan, std::int64_t number,
              kern::StepBuffer* step_buffer);

  /// Replaces the run by the steps that are launched next, all of the same epoch. `rows` holds
  /// their batches one after another, which are whole except for the last; `numbers` has an entry a
  /// step.
  void upload(std::span<const std::uint32_t> rows, std::span<const kern::StepNumbers> numbers,
              std::int64_t epoch);

  /// Waits for all steps that were launched and returns their sums.
  [[nodiscard]] kern::StepSums sums() const;

 private:
  const kern::Memory& memory_;
  std::optional<Mover> mover_;
  kern::StepBuffer header_;
  kern::StepBuffer* step_buffer_;  // in device memory, as are the lists
  std::uint32_t* rows_;
  kern::StepNumbers* numbers_;
  kern::ImageMove* moves_ = nullptr;
  std::vector<kern::ImageMove> drawn_;
  std::uint32_t uploaded_ = 0;  // steps
};

}  // namespace nn
