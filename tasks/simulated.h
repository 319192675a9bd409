#pragma once
// What the tasks of a trial return on a simulated machine: a network whose first weight is its
// loss, which falls as training goes on. A function of hyperparameters, shape and epochs alone, so
// that samplers, rules and policies have something to decide about, the same each time.

#include <cstdint>
#include <vector>

#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/reshape/statistics.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"
#include "nn/training/unit_norms.h"

namespace tasks {

/// A network at its birth.
[[nodiscard]] nn::ParamSlab simulated_birth(nn::ParamSlab::Header header);

/// Moves its loss towards what hyperparameters and size allow: the farther a learning rate is from
/// the best one, the higher that is; the larger the network, the lower. A rate of 1 or more
/// diverges.
[[nodiscard]] nn::TrainStats simulated_training(nn::ParamSlab& net, const nn::Hyper& hyper,
                                                const nn::Segment& segment, std::uint64_t rows);

/// Its loss, and metrics that are better the lower that is.
[[nodiscard]] nn::Scores simulated_scores(const nn::ParamSlab& net, const nn::Choice& loss,
                                          const nn::Dataset::Header& data, std::uint64_t rows);

/// Fills `to`, which has a shape of its own, with the training state and the loss of `net`.
void simulated_reshape(const nn::ParamSlab& net, nn::ParamSlab& to);

/// Norms are all alike, so that nothing is pruned; gradients rise from unit to unit, the same in
/// each layer, and there is as much room as two dense layers can have.
[[nodiscard]] std::vector<nn::UnitNorms> simulated_norms(const nn::ModelSpec& spec);
[[nodiscard]] std::vector<nn::UnitStatistics> simulated_statistics(const nn::ModelSpec& spec);

}  // namespace tasks
