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
