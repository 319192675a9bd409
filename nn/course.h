#pragma once
// The steps of a training as a device finds them in its own memory, so that it goes through them
// without a word in between: kernels/course.h says what of a step is read there.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/course.h"
#include "nn/augment.h"
#include "nn/data_view.h"
#include "nn/hyper.h"
#include "nn/spec.h"

namespace nn {

/// One stretch of a training. Steps come in runs: the rows and numbers of so many steps at once.
class Course {
 public:
  /// Steps of a run, at most.
  [[nodiscard]] static int most_steps(const Hyper& hyper);
  /// Bytes of device memory.
  [[nodiscard]] static std::size_t bytes(const Hyper& hyper);

  /// In bytes() bytes of `memory` at `there`, 64-byte aligned. `step` numbers the first step since
  /// the network's birth, from 1. `fed`: tables hold the rows of one batch (data/feed.h).
  Course(const kern::Memory& memory, const Hyper& hyper, std::int64_t step, bool fed,
         std::byte* there);

  /// The steps that are called from now on: their rows one after another, a whole batch each but
  /// for the last, and the numbers of each. `mover`: moves the rows' images, which are those of
  /// `epoch`; null: nobody does.
  void bring(std::span<const std::uint32_t> rows, std::span<const kern::StepNumbers> numbers,
             const Mover* mover, std::int64_t epoch);

  [[nodiscard]] kern::Course* there() const noexcept { return there_; }
  /// Waits for all steps that were called.
  [[nodiscard]] kern::CourseSums sums() const;

 private:
  const kern::Memory& memory_;
  kern::Course here_;
  kern::Course* there_;
  std::uint32_t* rows_;
  kern::StepNumbers* numbers_;
  kern::ImageMove* moves_;
  std::vector<kern::ImageMove> moves_here_;
  std::uint32_t brought_ = 0;
};

/// A step that a device runs again without being told each of its kernels.
class RecordedStep {
 public:
  explicit RecordedStep(const kern::Memory& memory);
  ~RecordedStep();
  RecordedStep(const RecordedStep&) = delete;
  RecordedStep& operator=(const RecordedStep&) = delete;

  /// Whether there is one that can be run.
  [[nodiscard]] bool made() const noexcept {
    return recording_ != nullptr && generation_ == recorder_.generation();
  }
  /// Keeps what `step` calls; runs nothing. False where the device keeps nothing, for want of
  /// memory, say.
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

/// What a recorded step hangs on: trainings that agree on it repeat the same one.
struct StepKey {
  const kern::Kernels<float>* kernels;
  ModelSpec spec;
  Hyper hyper;
  ResidentTable table;
  const std::byte* arena;
  bool operator==(const StepKey&) const = default;
};
/// Of a training in that arena. What a course brings plays no part.
[[nodiscard]] StepKey step_key(const kern::Kernels<float>& kernels, const ModelSpec& spec,
                               const Hyper& hyper, const ResidentTable& table,
                               const std::byte* arena);

}  // namespace nn
