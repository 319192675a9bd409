#pragma once
// The loop of a training by replicas in the order in which they finish (arrivals.h).

#include "nn/training/arrivals.h"
#include "nn/training/parallel.h"
#include "nn/training/step_loop.h"

namespace nn {

/// Trains each epoch by its events where `arrivals` has it, else by replicas on the threads of
/// `parallel` (null: on this one), and adds the epoch there once it is whole. Each thread has a
/// trainer with weights of its own, made of `inputs`, those of the loop's trainer. For a plan that
/// is stale, in the program's memory. Otherwise as run_synchronously().
[[nodiscard]] TrainStats run_arriving(const StepLoop& loop, const TrainerInputs<float>& inputs,
                                      SlabState& state, Parallel* parallel, Arrivals& arrivals);

}  // namespace nn
