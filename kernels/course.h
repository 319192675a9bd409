#pragma once
// Steps of a training that a device goes through by itself: what changes from one step to the next
// lies in its memory, so that nobody waits for a step before asking for the next one.

#include <cstdint>

#include "kernels/kernels.h"

namespace kern {

/// What an optimizer multiplies by at a step, in the precision that devices compute in.
struct StepNumbers {
  float rate = 0;        ///< the learning rate; Adam's: lr / (1 - beta1^t)
  float correction = 1;  ///< Adam's: 1 / sqrt(1 - beta2^t)
  float keep = 1;        ///< AdamArgs::keep
};

/// What came of the steps so far.
struct CourseSums {
  double loss = 0;
  std::int64_t correct = 0;
  std::uint32_t steps = 0;  ///< whose loss is known and finite
  /// Not 0: the loss of the step behind them was not. From there on nothing is added up, and
  /// nothing changes that is kept from step to step.
  std::uint32_t halted = 0;
};

/// In the memory of the kernels that are given it (Exec::course), as all lists are that it points
/// to. Steps are counted from the first one of the lists.
struct Course {
  const std::uint32_t* rows = nullptr;   ///< [steps, batch]: of the table
  const ImageMove* moves = nullptr;      ///< [steps, batch]; null: images stay as they are
  const StepNumbers* numbers = nullptr;  ///< [steps]
  std::uint32_t batch = 0;               ///< rows of a step, but for the last one of an epoch
  std::uint32_t before = 0;              ///< steps of `sums` that lie before the lists
  std::uint32_t step = 0;                ///< DropoutArgs::step of the first step of `sums`
  std::uint32_t in_order = 0;            ///< not 0: tables hold the rows of a step alone, in order
  CourseSums sums;
};

/// Kernels that are called once and run again and again. About the calling thread's queue.
struct Recorder {
  /// Kernels called from now on are kept instead of run. What they are given stays where it is as
  /// long as the recording lives; nothing may be called that returns a result or needs more memory
  /// than any call before.
  void (*begin)();
  /// What was kept.
  void* (*end)();
  /// Runs it behind all that was called before.
  void (*run)(void* recording);
  void (*release)(void* recording) noexcept;
  /// Another number where the memory that kernels take for the length of a call (of the calling
  /// thread) has moved: recordings from before must not be run.
  std::uint64_t (*generation)() noexcept;
};

}  // namespace kern
