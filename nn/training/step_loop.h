#pragma once
// The loops over the steps of a segment: the host waits for each step, alone or in a gang, or a
// device runs them behind it, or replicas run apart.

#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"
#include "nn/optimizers/optimizer.h"
#include "nn/training/step_plan.h"
#include "nn/training/step_resources.h"
#include "nn/training/tally.h"
#include "nn/training/train.h"
#include "nn/training/trainer.h"

namespace nn {

/// What a loop works with, all made for the same plan.
struct StepLoop {
  const StepPlan& plan;
  const DataView& data;
  Trainer<float>& trainer;
  StepResources& resources;
  EpochRows& rows;
  const StopPredicate& stop;
  Tally& done;  ///< steps before this loop; it adds its own
};

/// Waits for the loss of each step before the next one. Leaves the network, and `state`, as they
/// are after the last update.
[[nodiscard]] TrainStats run_synchronously(const StepLoop& loop, SlabState& state);

/// Does the same together with the other members of a gang, which may come and go.
[[nodiscard]] TrainStats run_in_gang(const StepLoop& loop, SlabState& state, GradientSums& gang);

/// Lets replicas compute and apply gradients in virtual time, for a plan that is stale. Otherwise
/// as above.
[[nodiscard]] TrainStats run_stale(const StepLoop& loop, SlabState& state);

/// Launches steps that the device runs one after another, and looks at their losses now and then.
/// For an asynchronous plan. Gives the same bits, and leaves the same behind.
[[nodiscard]] TrainStats run_asynchronously(const StepLoop& loop, const Update<float>& update,
                                            SlabState& state);

}  // namespace nn
