#pragma once
// Steps of a training that the host launches without waiting for them. Everything that changes from
// step to step lies in the device's memory, so all steps are the same kernel calls, which the
// device can record.

#include <cstdint>

#include "kernels/kernels.h"

namespace kern {

/// The factors of an optimizer at a step, in the precision that devices compute in.
struct StepNumbers {
  float rate = 0;        ///< the learning rate; Adam's: lr / (1 - beta1^t)
  float correction = 1;  ///< Adam's and LAMB's: 1 / sqrt(1 - beta2^t)
  float keep = 1;        ///< AdamArgs::keep
  float unbias = 1;      ///< LAMB's: 1 / (1 - beta1^t)
};

/// Sums over the steps so far.
struct StepSums {
  double loss = 0;
  std::int64_t correct = 0;
  std::uint32_t steps = 0;  ///< steps whose loss is known and finite
  /// Not 0 if the loss of the next step was not finite. From that step on kernels add nothing here,
  /// and change nothing that is kept from step to step.
  std::uint32_t halted = 0;
};

/// The arguments of a run of steps, and the sums of all steps of a training. Buffer and lists lie
/// in the memory of the kernels that read them (Exec::step_buffer). Entry i of a list belongs to
/// step i of the run.
struct StepBuffer {
  const std::uint32_t* rows = nullptr;   ///< [steps, batch]: rows of the table
  const ImageMove* moves = nullptr;      ///< [steps, batch]; null: images stay in place
  const StepNumbers* numbers = nullptr;  ///< [steps]
  std::uint32_t batch = 0;               ///< rows of a step, except for the last one of an epoch
  std::uint32_t before = 0;              ///< steps of `sums` before the run
  std::uint32_t step = 0;                ///< DropoutArgs::step of the first step of `sums`
  std::uint32_t in_order = 0;            ///< not 0 if tables hold the rows of one step, in order
  StepSums sums;
};

/// Records kernel calls of the calling thread's queue and runs them again (on CUDA a graph).
struct Recorder {
  /// Begins to record kernel calls instead of running them. Their arguments stay where they are as
  /// long as the recording lives. No call may return a result, or need more memory than the calls
  /// before.
  void (*begin)();
  /// Ends and returns the recording.
  void* (*end)();
  /// Runs a recording behind all calls made before.
  void (*run)(void* recording);
  void (*release)(void* recording) noexcept;
  /// Returns a number that changes when the memory moves that kernels of this thread take for the
  /// length of a call. Recordings of another generation must not be run.
  std::uint64_t (*generation)() noexcept;
};

}  // namespace kern
