#pragma once
// The steps of a stretch, one after another: told one by one, or brought to a device that goes
// through them by itself.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/course.h"
#include "nn/train.h"
#include "nn/trainer.h"

namespace nn {

/// Steps from the network's birth to border `border` of the stretch's grid, where `steps` make an
/// epoch.
[[nodiscard]] std::int64_t step_at(std::int64_t border, const Stretch& stretch, std::int64_t steps);

/// The rate at a step, the same wherever stretches are cut.
[[nodiscard]] double rate_at(const Hyper& hyper, std::int64_t step, std::int64_t steps);

/// What came of the steps so far.
struct Tally {
  double loss = 0;  ///< the sum over the rows
  std::int64_t correct = 0, rows = 0, steps = 0;
  bool diverged = false;

  /// One step more, on `count` rows. False: it diverged, and `state` is still as it was.
  bool add(const kern::LossSums& sums, std::int64_t count, SlabState& state);
  [[nodiscard]] TrainStats stats(bool stopped) const;
};

/// What the steps of a stretch share; the members that may be null are for trainings that have
/// them. Steps count from the network's birth.
struct Steps {
  Trainer<float>& trainer;
  const DataView& data;
  const Hyper& hyper;
  std::int64_t first = 0, last = 0;  ///< the stretch: [first, last)
  const StopPredicate& stop;
  const Mover* mover = nullptr;
  GroupLasso<float>* lasso = nullptr;
  TableFeed* feed = nullptr;
  float *weights = nullptr, *slots = nullptr;
  EpochRows& rows;
  RecordedStep* recorded = nullptr;  ///< of a course: what such a step called, if that can be kept
};

/// Both leave the network behind the last step that they report, and `state` as it is then.
[[nodiscard]] TrainStats run_one_by_one(const Steps& steps, SlabState& state);
/// On a device with that memory; Course::bytes() of it at `there`. For trainings that
/// Trainer::follow() is for. The same bits.
[[nodiscard]] TrainStats run_course(const Steps& steps, const Update<float>& update,
                                    const kern::Memory& memory, std::byte* there, SlabState& state);

}  // namespace nn
