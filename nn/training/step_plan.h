#pragma once
// How a training runs its steps: everything that is chosen once, before the first step.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/training/hyper.h"
#include "nn/training/lr_curve.h"
#include "nn/training/pipeline.h"
#include "nn/training/segment.h"
#include "nn/training/staleness.h"

namespace nn {

/// One optimizer step, as Trainer::step() takes it.
struct Step {
  std::span<const std::uint32_t> rows;  ///< of the data, at least one
  std::int64_t number = 1;  ///< optimizer steps since the network's birth, this one included
  double rate = 0;          ///< learning rate
  std::int64_t epoch = 0;   ///< epoch whose image moves are drawn
  double pull = 0;          ///< penalty on units, times the learning rate (GroupLasso::pull)
};

/// A plain value, the same on each call with the same arguments. Steps and epochs count from the
/// network's birth. The default is a plan for a Trainer without any extras on the program's memory.
struct StepPlan {
  std::int64_t first = 0, last = 0;  ///< the steps of the segment: [first, last)
  std::int64_t per_epoch = 1;        ///< steps of an epoch
  std::int32_t batch = 0;            ///< rows of a step; the last step of an epoch may have fewer
  int shards = 1;                    ///< parts of a batch, each with a gradient of its own
  int passes = 1;  ///< passes of shards that go on at the same time in one trainer
  /// Layers of each stage of a pipeline; fewer than two: there is none.
  std::vector<StageLayers> stages{};
  StageOrder order = StageOrder::one_forward_one_backward;
  std::uint64_t stream = 0;  ///< random numbers: order of rows, masks, moves of images
  LrCurve rates{};           ///< learning rates, never empty in a plan of plan_steps()
  double clip = 0;           ///< longest gradient, as a Euclidean norm; 0: any length
  UnitPenalty penalty{};
  Augment augment{};
  /// How far replicas may part; none: each step applies the gradient that it computes.
  std::optional<Staleness> stale{};
  /// True if the units were born at different steps, so that an optimizer counts the steps of each.
  bool aged = false;
  /// True if the device has no copy of the table: batches are copied while it computes (TableFeed).
  bool fed = false;
  /// True if kernels read rows and rates of their step in device memory (kern::StepBuffer) and add
  /// up the losses there, so that the host launches steps without waiting for their losses.
  bool asynchronous = false;
  /// True if all whole batches are the same kernel calls, so that the device may record the calls
  /// of one step and run the recording for the others (kern::Recorder).
  bool recorded = false;

  /// Returns the learning rate at a step. It does not depend on where segments are cut.
  [[nodiscard]] double rate_at(std::int64_t step) const;
  /// Returns Step::pull of a step.
  [[nodiscard]] double pull_at(std::int64_t step) const;
  /// Returns the step of an epoch's batch; `number` is Step::number, which counts the steps of a
  /// network that was trained before this training's step 0, too.
  [[nodiscard]] Step step(std::int64_t at, std::span<const std::uint32_t> rows,
                          std::int64_t number) const;
};

/// Has the shards of a batch go through at most `stages` stages, if they can: there are several of
/// both, and `memory` is the program's.
void plan_stages(StepPlan& plan, const kern::Memory& memory, const ModelSpec& spec, int stages,
                 StageOrder order);

/// Chooses how to train a network in `memory` on one segment. `hyper` is complete.
[[nodiscard]] StepPlan plan_steps(const kern::Memory& memory, const ParamSlab::Header& net,
                                  const DataView& data, const Hyper& hyper, const Segment& segment);

/// Returns the rows in the largest part of a batch.
[[nodiscard]] constexpr int largest_part(int batch, int shards) {
  return (batch + shards - 1) / shards;
}

}  // namespace nn
